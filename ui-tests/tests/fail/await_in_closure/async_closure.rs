use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn run() {
    let twice = async |n| step(n).await * 2;
    let _ = twice(1).await;
}

fn main() {}
