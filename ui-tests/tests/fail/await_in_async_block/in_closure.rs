use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn run(numbers: Vec<u64>) {
    join_all(numbers.into_iter().map(|n| async move { step(n).await })).await;
}

fn main() {}
