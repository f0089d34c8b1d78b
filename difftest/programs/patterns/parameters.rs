//! Patterns as parameters of inner functions and closures.

fn sum((a, b): (i64, i64), [c, d]: [i64; 2]) -> i64 {
    a + b + c + d
}

#[workflow]
async fn program(n: i64) -> i64 {
    let x = sum((act(n).await, note(1)), [2, act(3).await]);
    let largest = table(x).await.into_iter().map(|(key, value)| value + key.len() as i64).max();
    act(largest.unwrap_or(x)).await
}
