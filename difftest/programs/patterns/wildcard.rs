//! `_` drops nothing that is a place, and `let _ = call` waits all the same.

#[workflow]
async fn program(n: i64) -> usize {
    let text = fetch("kept").await;
    let _ = text;
    let _ = fetch("dropped").await;
    let _unused = act(n).await;
    _ = tick().await;
    (_, _) = (act(1).await, act(2).await);
    text.len()
}
