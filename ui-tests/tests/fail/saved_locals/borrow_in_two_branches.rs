use piton::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
struct Shop {
    open: Order,
}

#[derive(Serialize, Deserialize)]
struct Order {
    paid: u64,
    lines: Vec<u64>,
}

#[activity]
async fn pay(id: u64) -> u64 {
    id
}

#[workflow]
async fn both(mut shop: Shop) -> u64 {
    let order = &mut shop.open;
    join!(
        async {
            order.paid += pay(1).await;
        },
        async {
            order.lines.push(pay(2).await);
        },
    );
    shop.open.paid
}

fn main() {}
