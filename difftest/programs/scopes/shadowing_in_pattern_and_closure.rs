//! Closure parameters and patterns with the names of saved locals.

#[workflow]
async fn program(n: i64) -> i64 {
    let x = act(n).await;
    let values = list(x).await;
    let sum: i64 = values.iter().map(|x| x * 2).sum();
    let count = values.iter().filter(|&&values| values > x).count();
    tick().await;
    if let (x, 0) = (sum, x % 2) { act(x).await } else { x + count as i64 }
}
