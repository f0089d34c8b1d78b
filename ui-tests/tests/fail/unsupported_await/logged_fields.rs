use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn run(number: u64) -> u64 {
    tracing::info!({ number = step(number).await }, "stepped");
    number
}

fn main() {}
