//! Lookups in types whose methods may do something else the next time.

use std::collections::BTreeMap;

use piton::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
struct Prices {
    by_sku: BTreeMap<String, u64>,
    asked: u64,
}

impl Prices {
    fn get(&self, sku: &str) -> Option<u64> {
        self.by_sku.get(sku).copied()
    }

    fn get_mut(&mut self, sku: &str) -> Option<&mut u64> {
        self.asked += 1;
        self.by_sku.get_mut(sku)
    }
}

#[activity]
async fn confirm(cents: u64) -> bool {
    cents < 100
}

#[workflow]
async fn of_value(prices: Prices, sku: String) -> u64 {
    if let Some(price) = prices.get(&sku) {
        confirm(price).await;
        return price;
    }
    0
}

#[workflow]
async fn of_part(mut prices: Prices, sku: String) {
    if let Some(price) = prices.get_mut(&sku) {
        confirm(*price).await;
        *price += 1;
    }
}

#[derive(PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct Sku(String);

#[workflow]
async fn of_entry(mut stock: BTreeMap<Sku, u64>, sku: Sku) {
    let left = stock.entry(sku).or_insert(0);
    confirm(*left).await;
    *left += 1;
}

fn main() {}
