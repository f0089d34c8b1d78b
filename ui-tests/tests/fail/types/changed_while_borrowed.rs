//! What is borrowed stays as it is until the borrow is over, also across steps that do not use it.

use piton::prelude::*;

#[activity]
async fn fetch(id: u64) -> u64 {
    id
}

#[workflow]
async fn assigned(id: u64) -> u64 {
    let mut count = id;
    let seen = &count;
    fetch(1).await;
    count = 5;
    fetch(2).await;
    *seen
}

#[workflow]
async fn read(mut order: (u64, u64)) -> u64 {
    let changed = &mut order.0;
    fetch(1).await;
    let both = order.0 + order.1;
    fetch(both).await;
    *changed += 1;
    order.0
}

#[workflow]
async fn extended(mut ids: Vec<u64>) -> usize {
    for id in &ids {
        let found = fetch(*id).await;
        ids.push(found);
    }
    ids.len()
}

fn main() {}
