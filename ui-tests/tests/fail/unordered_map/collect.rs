use std::collections::HashMap;

use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn run(numbers: Vec<u64>) {
    let twice = numbers.iter().map(|n| (*n, n * 2)).collect::<HashMap<_, _>>();
    step(twice[&1]).await;
}

fn main() {}
