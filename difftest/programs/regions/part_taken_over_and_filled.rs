//! A branch takes a part over, which is filled after it; the rest is needed by others meanwhile.

#[workflow]
async fn program(n: i64) -> i64 {
    let mut order = order(n).await;
    let (a, b) = join!(
        async move {
            let c = order.customer;
            act(c.len() as i64).await;
            c
        },
        async { fetch("z").await }
    );
    order.customer = a;
    if n > 2 {
        let x = order.customer;
        let y = join!(async { act(order.id).await + x.len() as i64 }, async {
            let mut t = 0;
            for l in &order.lines {
                t += act(l.count).await;
            }
            t
        });
        note(y.0 + y.1);
        if flag(n).await {
            order.customer = b;
        } else {
            order.customer = x;
        }
    }
    price(&order).await
}
