//! What has been looked up is looked up again after an await, so the key must still be there.

use std::collections::BTreeMap;

use piton::prelude::*;
use serde::{Deserialize, Serialize};

#[activity]
async fn price(item: String) -> u64 {
    item.len() as u64
}

#[derive(Serialize, Deserialize)]
struct Order {
    item: String,
    count: u64,
}

#[workflow]
async fn whole(stock: BTreeMap<String, u64>, wanted: String) -> u64 {
    let Some(count) = stock.get(&wanted) else { return 0 };
    price(wanted).await + *count
}

#[workflow]
async fn part(stock: BTreeMap<String, u64>, order: Order) -> u64 {
    let in_stock = stock.get(&order.item).unwrap();
    let item = order.item;
    price(item).await + *in_stock + order.count
}

fn main() {}
