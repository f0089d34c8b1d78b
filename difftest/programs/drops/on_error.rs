//! `?` drops what is in scope.

#[workflow]
async fn program(n: i64) -> Result<i64, ActivityError<Refused>> {
    let _a = Noisy::new("a");
    let x = try_act(n).await?;
    let b = Noisy::new("b");
    let y = try_act(n + 1).await?;
    note(b.name());
    drop(b);
    Ok(x + y + try_act(n + 2).await?)
}
