//! What has been looked up is looked up again after an await, so the key must be the same by then.

use std::collections::BTreeMap;

use piton::prelude::*;

#[activity]
async fn price(item: String) -> u64 {
    item.len() as u64
}

#[workflow]
async fn key(stock: BTreeMap<String, u64>, mut wanted: String) -> u64 {
    let Some(count) = stock.get(&wanted) else { return 0 };
    wanted.push('s');
    price(wanted).await + *count
}

#[workflow]
async fn closure(list: Vec<u64>) -> u64 {
    let mut limit = 3;
    let Some(found) = list.iter().find(|number| **number > limit) else { return 0 };
    limit = price("limit".to_owned()).await;
    price("other".to_owned()).await;
    found + limit
}

#[workflow]
async fn in_a_loop(mut stock: BTreeMap<u64, u64>) -> u64 {
    let mut next = 1;
    while let Some(count) = stock.get_mut(&next) {
        next += 1;
        *count += price("part".to_owned()).await;
    }
    next
}

fn main() {}
