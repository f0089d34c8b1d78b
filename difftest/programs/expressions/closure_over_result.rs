//! Closures used up before the next await.

#[workflow]
async fn program(n: i64) -> i64 {
    let base = act(n).await;
    let shifted: Vec<i64> = list(4).await.into_iter().map(|x| x + base).collect();
    let largest = shifted.iter().copied().max_by_key(|x| x % 7);
    let add_base = |x: i64| x + base;
    let answer = add_base(largest.unwrap_or(0));
    act(answer).await + base
}
