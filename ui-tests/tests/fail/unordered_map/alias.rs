use std::collections::HashMap;

use piton::prelude::*;

type Prices = HashMap<String, u64>;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn run(prices: Prices) {
    for price in prices.values() {
        step(*price).await;
    }
    let none = Prices::new();
    let same: Prices = prices.into_iter().collect();
    step((none.len() + same.len()) as u64).await;
}

fn main() {}
