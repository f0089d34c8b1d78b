//! A local shadowed in every round, from the one outside.

#[workflow]
async fn program(n: i64) -> i64 {
    let mut total = 0;
    let step = act(n).await;
    for step in step..step + 3 {
        let step = act(step).await;
        let step = { let step = step + 1; tick().await; step };
        total += step;
    }
    total + step
}
