//! A match on several awaited values at once.

#[workflow]
async fn program(n: i64) -> i64 {
    match (find(n).await, lookup("four").await, flag(n).await) {
        (Some(text), Some(length), true) => length + text.len() as i64,
        (Some(text), _, false) => lookup(&text).await.unwrap_or(0),
        (None, Some(length), _) => act(length).await,
        (_, None, _) => 0,
    }
}
