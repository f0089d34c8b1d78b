//! A shared borrow of a field, used after awaits.

#[workflow]
async fn program(n: i64) -> i64 {
    let order = order(n + 2).await;
    let customer = &order.customer;
    let lines = &order.lines;
    let a = lookup(customer).await.unwrap_or(0);
    let count = lines.len() as i64;
    add(a, count).await + lines.iter().map(|line| line.count).sum::<i64>()
}
