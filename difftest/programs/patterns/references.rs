//! Patterns through references that end before the await.

#[workflow]
async fn program(n: i64) -> i64 {
    let order = order(n).await;
    let &Order { id, ref customer, .. } = &order;
    let length = customer.len() as i64;
    let count = match &order.lines[..] {
        [Line { count, .. }, ..] => *count,
        [] => 0,
    };
    add(id + length, count).await + price(&order).await
}
