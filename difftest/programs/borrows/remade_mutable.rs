//! A mutable borrow of a local and of a field, used across an await.

#[workflow]
async fn program(n: i64) -> (Vec<i64>, String) {
    let mut values = list(n).await;
    let view = &mut values;
    view.push(act(n).await);
    tick().await;
    view.push(7);
    let mut order = order(n).await;
    let name = &mut order.customer;
    name.push_str(&fetch("x").await);
    name.push('.');
    tick().await;
    (values, order.customer)
}
