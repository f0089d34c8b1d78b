//! An `async` block of an arm owns what it captures with `move`.

#[workflow]
async fn program(cx: &Context, n: i64) -> String {
    let order = order(n).await;
    let name = fetch("n").await;
    let id = order.id;
    let text = select! {
        total = async move {
            let mut total = price(&order).await;
            total += act(order.id).await;
            total
        } => total.to_string(),
        _ = cx.sleep(seconds(2)) => name,
    };
    concat(&text, &id.to_string()).await
}
