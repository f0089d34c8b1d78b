//! What has been looked up is looked up again by each branch, and two cannot do so at the same time.

use std::collections::BTreeMap;

use piton::prelude::*;

#[activity]
async fn price(item: u64) -> u64 {
    item
}

#[workflow]
async fn lookup(mut stock: BTreeMap<u64, (u64, u64)>) -> u64 {
    let Some((count, cents)) = stock.get_mut(&1) else { return 0 };
    join!(async { *count += price(1).await }, async { *cents += price(2).await });
    *count + *cents
}

#[workflow]
async fn items(mut lines: Vec<(u64, u64)>) -> Vec<(u64, u64)> {
    for (count, cents) in &mut lines {
        join!(async { *count += price(1).await }, async { *cents += price(2).await });
    }
    lines
}

fn main() {}
