//! An `async move` block takes over what it only borrows from: operands before it are copied before.

#[workflow]
async fn program(n: i64) -> i64 {
    let order = order(n).await;
    let copy = order.clone();
    let third = order.clone();
    let (a, b) = join!(add(order.id, n), async move { price(&order).await + 1 });
    let x = add(
        copy.id + async { 1 }.await,
        async move {
            let c = &copy;
            tick().await;
            c.id
        }
        .await,
    )
    .await;
    let y = [
        third.id,
        third.lines.len() as i64,
        join!(
            async move {
                tick().await;
                note(&third.customer);
                4
            },
            act(1)
        )
        .0,
    ];
    x + a + b + y[0] + y[1] + y[2]
}
