//! A field moved out and put back before the whole is used.

#[workflow]
async fn program(n: i64) -> i64 {
    let mut order = order(n).await;
    let name = order.customer;
    let longer = concat(&name, "refilled").await;
    order.customer = longer;
    order.lines.truncate(2);
    price(&order).await + order.customer.len() as i64 + name.len() as i64
}
