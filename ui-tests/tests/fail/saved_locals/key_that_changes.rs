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

#[workflow]
async fn index(stock: BTreeMap<String, u64>, mut wanted: String) -> u64 {
    let count = &stock[&wanted];
    wanted.push('s');
    price(wanted).await + *count
}

#[workflow]
async fn index_of_an_operand(stock: BTreeMap<u64, String>) -> u64 {
    let mut next = 1;
    let list = [
        &stock[&next],
        &{
            next += 1;
            price("part".to_owned()).await.to_string()
        },
    ];
    list.len() as u64 + next
}

#[workflow]
async fn items(lists: BTreeMap<u64, Vec<String>>) -> u64 {
    let mut next = 1;
    for item in lists.get(&next).unwrap() {
        next += price(item.clone()).await;
    }
    for item in &lists[&next] {
        next += price(item.clone()).await;
    }
    next
}

fn main() {}
