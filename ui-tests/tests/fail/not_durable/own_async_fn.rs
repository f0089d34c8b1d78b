use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

async fn twice(number: u64) -> u64 {
    number * 2
}

#[workflow]
async fn run() -> u64 {
    twice(step(1).await).await
}

fn main() {}
