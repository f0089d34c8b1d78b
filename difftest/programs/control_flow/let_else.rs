//! `let else` with awaits in the value and in the way out.

#[workflow]
async fn program(n: i64) -> i64 {
    let Some(text) = find(n).await else {
        return act(note(n)).await;
    };
    let (Some(length), true) = (lookup(&text).await, flag(n).await) else {
        tick().await;
        return note(-1);
    };
    act(length).await + text.len() as i64
}
