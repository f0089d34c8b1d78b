use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

const LIMIT: u64 = 3;

#[workflow]
async fn run() {
    if step(1).await == LIMIT {
        const LIMIT: u64 = 5;
        step(LIMIT).await;
    }
}

fn main() {}
