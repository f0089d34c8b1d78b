//! What is left of a struct is used by its parts alone, one of which is filled again.

#[workflow]
async fn program(n: i64) -> i64 {
    let mut order = order(n).await;
    let name = order.customer;
    let lines = order.lines;
    order.customer = concat(&name, "again").await;
    tick().await;
    note(&order.customer);
    order.id += act(lines.len() as i64).await;
    order.id + order.customer.len() as i64
}
