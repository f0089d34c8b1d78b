//! `?` as a statement of its own, on values that were bound before.

#[workflow]
async fn program(n: i64) -> Result<(), ActivityError<Refused>> {
    let outcome = try_act(n).await;
    tick().await;
    outcome?;
    let later = try_act(n + 3).await;
    note(later.is_ok());
    tick().await;
    later.map(|_| ())
}
