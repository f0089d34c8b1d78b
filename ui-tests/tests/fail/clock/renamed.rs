use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn run() {
    use std::time::SystemTime as Clock;
    let _ = Clock::now();
    step(1).await;
}

fn main() {}
