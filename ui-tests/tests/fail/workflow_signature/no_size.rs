use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn run(text: str, numbers: [u64]) -> str {
    step(text.len() as u64 + numbers[0]).await;
    text
}

fn main() {}
