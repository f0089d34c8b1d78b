//! One field moved out, the others used after further awaits.

#[workflow]
async fn program(n: i64) -> i64 {
    let order = order(n + 2).await;
    let lines = order.lines;
    tick().await;
    let mut sum = order.id;
    for line in lines {
        sum += line.count;
    }
    let length = fetch(&order.customer).await.len() as i64;
    sum + length
}
