use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn run() {
    let number: String = step(1).await;
    let _ = number;
}

fn main() {}
