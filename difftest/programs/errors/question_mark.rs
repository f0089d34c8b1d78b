//! `?` on results of activities in the same error type.

#[workflow]
async fn program(n: i64) -> Result<String, ActivityError<Refused>> {
    let a = try_act(n).await?;
    let b = try_act(note(a + n)).await?;
    let text = fetch(&b.to_string()).await;
    try_act(b).await?;
    Ok(text)
}
