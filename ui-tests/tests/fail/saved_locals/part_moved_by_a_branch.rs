//! A part that an `async` block moves out of a variable that other code uses.

use piton::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
struct Order {
    lines: Vec<u64>,
    name: String,
}

#[activity]
async fn send(text: String) {
    drop(text);
}

#[workflow]
async fn run(order: Order) -> usize {
    join!(
        async {
            let lines = order.lines;
            send(lines.len().to_string()).await;
        },
        async { send(order.name.clone()).await },
    );
    order.name.len()
}

fn main() {}
