//! Awaits whose value is `()`, as statements, as values and as arguments.

fn take(_: (), n: i64) -> i64 {
    n
}

#[workflow]
async fn program(n: i64) -> i64 {
    let unit = tick().await;
    let both = (unit, tick().await);
    note(both);
    take(tick().await, act(n).await)
}
