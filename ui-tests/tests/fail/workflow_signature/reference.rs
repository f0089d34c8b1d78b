use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn run(text: &str) {
    step(text.len() as u64).await;
}

fn main() {}
