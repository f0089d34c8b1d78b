//! A branch that alone needs a value takes it over right after a part of it has been filled.

#[workflow]
async fn program(n: i64) -> i64 {
    let mut o = order(n).await;
    let taken = o.customer;
    for i in 0..3 {
        o.customer = taken.clone();
        if n > 3 {
            return join!(
                async { act(o.id).await + o.lines.len() as i64 + o.clone().id },
                tick(),
            )
            .0;
        }
        if flag(add(o.id, i).await).await {
            return select! {
                sum = async move {
                    let customer = o.customer;
                    fetch(&customer).await;
                    act(o.id).await + o.lines.len() as i64
                } => sum,
                _ = tick() => 9,
            };
        }
        o.customer.push('c');
    }
    o.id
}
