use std::collections::HashMap;

use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn run(prices: HashMap<String, u64>) {
    for (name, number) in &prices {
        step(*number).await;
        let _ = name;
    }
}

fn main() {}
