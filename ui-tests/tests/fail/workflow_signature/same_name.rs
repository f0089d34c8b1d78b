use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn run(number: u64, number: u64) {
    step(number).await;
}

fn main() {}
