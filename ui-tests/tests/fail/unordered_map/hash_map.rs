use std::collections::HashMap;

use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn run() {
    let mut sums = HashMap::new();
    sums.insert(1, step(1).await);
    for (_, sum) in &sums {
        let _ = sum;
    }
}

fn main() {}
