use piton::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
struct Prices {
    cents: u64,
}

impl Prices {
    fn get(&self, count: u64) -> Option<u64> {
        Some(self.cents * count)
    }
}

#[activity]
async fn rate(id: u64) -> u64 {
    id
}

fn total(price: Option<u64>, rate: u64) -> u64 {
    price.unwrap_or(0) * rate
}

#[workflow]
async fn pay(prices: Prices, id: u64) -> u64 {
    total(prices.get(2), rate(id).await)
}

fn main() {}
