//! A borrow of an awaited value, for one call.

#[workflow]
async fn program(n: i64) -> i64 {
    let length = note(&fetch("abc").await).len();
    let sum: i64 = list(n).await.iter().sum();
    price(&order(n).await).await + sum + length as i64
}
