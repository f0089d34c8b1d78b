use std::time::Instant;

use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn run() {
    let _ = Instant::now();
    step(1).await;
}

fn main() {}
