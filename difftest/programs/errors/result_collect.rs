//! Results collected without `?` in between, and chained methods on awaited results.

#[workflow]
async fn program(n: i64) -> Result<i64, String> {
    let texts = words("1 2 x").await;
    let numbers: Result<Vec<i64>, _> = texts.iter().take(2).map(|t| t.parse::<i64>()).collect();
    let sum: i64 = numbers.map_err(|error| error.to_string())?.iter().sum();
    try_act(sum + n).await.map(|x| x + 1).map_err(|error| format!("{error} after {sum}"))
}
