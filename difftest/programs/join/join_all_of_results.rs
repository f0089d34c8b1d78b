//! `join_all` over calls that fail, collected into one result.

#[workflow]
async fn program(n: i64) -> Result<Vec<i64>, ActivityError<Refused>> {
    let outcomes = join_all([n, n + 1, n + 3].into_iter().map(try_act)).await;
    let failed = outcomes.iter().filter(|outcome| outcome.is_err()).count();
    tick().await;
    note(failed);
    outcomes.into_iter().collect()
}
