//! Array patterns with rests.

#[workflow]
async fn program(n: i64) -> i64 {
    let [first, .., last] = [act(n).await, act(1).await, note(5), act(2).await];
    let [a, rest @ ..] = [first, last, n];
    tick().await;
    a + rest.iter().sum::<i64>() + act(rest[0]).await
}
