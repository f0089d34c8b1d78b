//! Blocks as values, with locals of their own.

#[workflow]
async fn program(n: i64) -> i64 {
    let x = {
        let a = act(n).await;
        let b = { act(a).await + note(a) };
        a + b
    };
    add({ tick().await; x }, { let y = x; act(y).await }).await
}
