//! A method of a field with an awaited argument.

#[workflow]
async fn program(n: i64) -> Order {
    let mut order = order(n).await;
    order.lines.push(Line { sku: fetch("more").await, count: act(n).await });
    order.customer.push_str(&fetch(&order.customer).await);
    order.lines[0].sku.push_str(&fetch("x").await);
    order.lines[0].count += act(order.lines.len() as i64).await;
    order
}
