//! What is lent stays borrowed, also beside values that methods of the file give by names of such that lend.

use std::collections::BTreeMap;

use piton::prelude::*;

#[derive(serde::Serialize, serde::Deserialize)]
struct Prices {
    all: Vec<u64>,
}

impl Prices {
    fn get(&self, at: usize) -> Option<u64> {
        self.all.get(at).copied()
    }
}

#[activity]
async fn count(n: u64) -> u64 {
    n
}

#[workflow]
async fn changed(mut stock: BTreeMap<u64, u64>) -> u64 {
    let Some(left) = stock.get(&1) else { return 0 };
    count(1).await;
    stock.clear();
    count(2).await;
    *left
}

#[workflow]
async fn beside_a_value(mut prices: Prices) -> u64 {
    let price: Option<u64> = prices.get(0);
    let all = &prices.all;
    count(1).await;
    prices.all.clear();
    count(2).await;
    all.len() as u64 + price.unwrap_or(0)
}

fn main() {}
