//! `for` over a vector by value, with the items moved on.

#[workflow]
async fn program(n: i64) -> Vec<String> {
    let order = order(n + 2).await;
    let mut labels = Vec::with_capacity(order.lines.len());
    for line in order.lines {
        labels.push(concat(&line.sku, &order.customer).await);
        if line.count > 2 {
            break;
        }
    }
    labels
}
