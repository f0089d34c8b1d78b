//! A variable of which a part is moved out while the rest is needed after an await.

use piton::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
struct Order {
    lines: Vec<u64>,
    total: u64,
}

#[activity]
async fn ship(lines: Vec<u64>) -> Vec<u64> {
    lines
}

#[activity]
async fn add(total: u64) -> u64 {
    total
}

#[workflow]
async fn assigned(mut order: Order) -> Order {
    order.total = add(order.total).await;
    order.lines = ship(order.lines).await;
    order
}

#[workflow]
async fn updated(order: Order) -> Order {
    let lines = order.lines;
    let total = add(1).await;
    Order { lines: ship(lines).await, total: total + order.total, ..order }
}

#[workflow]
async fn rest(order: Order) -> Order {
    let lines = order.lines;
    Order { lines: ship(lines).await, ..order }
}

fn main() {}
