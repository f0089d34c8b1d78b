use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[derive(serde::Serialize, serde::Deserialize)]
struct Order {
    total: u64,
    lines: Vec<u64>,
}

#[workflow]
async fn run(orders: Vec<Order>) -> Vec<Order> {
    let mut orders = orders;
    for order in &mut orders {
        join!(async { order.total += step(1).await }, async { order.lines.push(step(2).await) });
    }
    if let Some(last) = orders.last_mut() {
        join!(async { step(last.total).await }, async { step(last.lines[0]).await });
        join!(async { last.total += step(1).await }, step(2));
    }
    orders
}

fn main() {}
