//! `try_join!` ends with the first error and gives the others up.

#[workflow]
async fn program(n: i64) -> Result<i64, ActivityError<Refused>> {
    let (a, b) = try_join!(try_act(n), try_act(n + 1))?;
    let sum = add(a, b).await;
    let (c, found, d) = try_join!(try_act(sum), try_find(n + 1), try_act(n + 3))?;
    Ok(sum + c + d + found.unwrap_or(0))
}
