use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn run() {
    let count = const { step(1).await };
    step(count).await;
}

fn main() {}
