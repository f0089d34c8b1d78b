//! What a lookup borrows stays as it is until what it has found is used no more, and so does the key.

use std::collections::BTreeMap;

use piton::prelude::*;

#[activity]
async fn count(n: u64) -> u64 {
    n
}

#[workflow]
async fn changed(mut stock: BTreeMap<String, u64>, sku: String) -> u64 {
    let Some(left) = stock.get_mut(&sku) else { return 0 };
    count(1).await;
    stock.clear();
    count(2).await;
    *left += 1;
    0
}

#[workflow]
async fn changed_key(stock: BTreeMap<String, u64>, mut sku: String) -> u64 {
    let left = stock.get(&sku).unwrap();
    count(1).await;
    sku.push('!');
    count(2).await;
    *left
}

#[workflow]
async fn changed_list(mut list: Vec<u64>) -> u64 {
    let mut sum = 0;
    if let Some(first) = list.first() {
        sum += count(*first).await;
        list.push(sum);
        sum += count(sum).await;
        sum += *first;
    }
    sum
}

fn main() {}
