use piton::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
struct Order {
    id: u64,
    lines: Vec<u64>,
}

#[activity]
async fn load(id: u64) -> Vec<u64> {
    vec![id]
}

fn reload() -> Order {
    Order { id: 1, lines: vec![] }
}

fn send(lines: Vec<u64>) -> usize {
    lines.len()
}

#[workflow]
async fn order(mut order: Order, late: bool) -> u64 {
    if late {
        order = reload();
        send(order.lines);
    }
    order.lines = load(order.id).await;
    order.lines[0] + order.id
}

fn main() {}
