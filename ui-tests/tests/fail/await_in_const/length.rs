use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn run() -> usize {
    let list = [0; step(1).await];
    list.len()
}

fn main() {}
