//! `?` on options in a workflow that returns one.

#[workflow]
async fn program(n: i64) -> Option<i64> {
    let text = find(n).await?;
    let length = lookup(&text).await?;
    let first = list(n).await.first().copied()?;
    tick().await;
    Some(act(length + first).await)
}
