//! Values moved out of boxes and options.

#[workflow]
async fn program(n: i64) -> String {
    let boxed = Box::new(order(n).await);
    tick().await;
    let Order { customer, lines, .. } = *boxed;
    let mut first = lines.into_iter().next();
    tick().await;
    let sku = first.take().map(|line| line.sku);
    note(first.is_none());
    concat(&customer, &sku.unwrap_or_default()).await
}
