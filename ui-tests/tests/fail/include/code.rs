use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn run() {
    include!("steps.rs");
    step(1).await;
}

fn main() {}
