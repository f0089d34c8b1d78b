//! Inline calls of inline calls, with owned arguments and results.

#[workflow]
async fn label(order: Order, prefix: String) -> String {
    let text = concat(&prefix, &order.customer).await;
    suffix(text, order.lines.len()).await
}

#[workflow]
async fn suffix(mut text: String, count: usize) -> String {
    for i in 0..count.min(2) {
        text.push_str(&fetch(&i.to_string()).await);
    }
    text
}

#[workflow]
async fn program(n: i64) -> String {
    let order = order(n).await;
    let copy = order.clone();
    let first = label(order, fetch("a").await).await;
    label(copy, suffix(first, 1).await).await
}
