use std::collections::{HashMap, HashSet};

use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn run((prices, limit): (HashMap<String, u64>, u64)) {
    let kept = prices.clone();
    for price in kept.values() {
        step(*price + limit).await;
    }
    for (_, price) in prices {
        step(price).await;
    }
}

#[workflow]
async fn of_sets(ours: HashSet<u64>, theirs: HashSet<u64>) {
    let both: Vec<u64> = ours.intersection(&theirs).copied().collect();
    let all: Vec<u64> = ours.union(&theirs).copied().collect();
    step((both.len() + all.len()) as u64).await;
}

#[workflow]
async fn made(numbers: Vec<u64>) {
    let (few, many): (HashSet<u64>, HashSet<u64>) = numbers.iter().partition(|n| **n < 10);
    let none = <HashMap<u64, u64> as Default>::default();
    step((few.len() + many.len() + none.len()) as u64).await;
}

fn main() {}
