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
async fn run(order: Order) {
    join!(
        async {
            for line in order.lines {
                send(line.to_string()).await;
            }
        },
        async { send(order.name.clone()).await },
    );
}

fn main() {}
