//! A key may be changed by a macro, by way of a borrow, by an `async` block, or by a condition, after something has
//! been looked up with it.

use std::collections::BTreeMap;
use std::fmt::Write;

use piton::prelude::*;

#[activity]
async fn price(item: String) -> u64 {
    item.len() as u64
}

#[workflow]
async fn written_to(stock: BTreeMap<String, u64>, mut wanted: String) -> u64 {
    let count = stock.get(&wanted).unwrap();
    write!(wanted, "s").unwrap();
    price(wanted).await + *count
}

#[workflow]
async fn borrowed(stock: BTreeMap<String, u64>, mut wanted: String) -> u64 {
    let key = &mut wanted;
    let count = stock.get(key).unwrap();
    key.push('s');
    price("part".to_owned()).await + *count
}

#[workflow]
async fn borrowed_by_a_closure(list: Vec<u64>) -> u64 {
    let mut limit = 3;
    let least = &mut limit;
    let found = list.iter().find(|number| **number > *least).unwrap();
    *least += 1;
    price("part".to_owned()).await + *found + limit
}

#[workflow]
async fn in_a_loop(stock: BTreeMap<String, u64>, mut all: Vec<String>) -> u64 {
    let mut sum = 0;
    for key in &mut all {
        let count = stock.get(key).unwrap();
        key.push('s');
        sum += price("part".to_owned()).await + *count;
    }
    sum + all.len() as u64
}

#[workflow]
async fn by_a_block(stock: BTreeMap<String, u64>, mut wanted: String) -> u64 {
    let count = stock.get(&wanted).unwrap();
    async {
        wanted.push('s');
        price("part".to_owned()).await;
    }
    .await;
    *count + wanted.len() as u64
}

#[workflow]
async fn by_a_branch_beside_it(stock: BTreeMap<String, u64>, mut wanted: String) -> u64 {
    let count = stock.get(&wanted).unwrap();
    let (sum, ()) = join!(async { price("part".to_owned()).await + *count }, async {
        wanted.push('s');
    });
    sum + wanted.len() as u64
}

#[workflow]
async fn by_an_operand(stock: BTreeMap<String, u64>, mut wanted: String) -> u64 {
    while let Some(count) = stock.get(&wanted)
        && wanted.pop().is_some()
    {
        if price("part".to_owned()).await > *count {
            break;
        }
    }
    wanted.len() as u64
}

#[workflow]
async fn by_a_guard(stock: BTreeMap<String, u64>, mut wanted: String) -> u64 {
    match stock.get(&wanted) {
        Some(0) if wanted.pop().is_some() => 0,
        Some(count) => price("part".to_owned()).await + *count,
        None => wanted.len() as u64,
    }
}

fn main() {}
