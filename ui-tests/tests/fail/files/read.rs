use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn run() {
    let _ = std::fs::read_to_string("a.txt");
    step(1).await;
}

fn main() {}
