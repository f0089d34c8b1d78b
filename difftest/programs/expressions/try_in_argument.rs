//! `?` on an awaited value as an argument.

#[workflow]
async fn program(n: i64) -> Result<i64, ActivityError<Refused>> {
    let sum = add(try_act(n).await?, note(try_act(n + 3).await?)).await;
    Ok(sum + try_act(sum).await?)
}
