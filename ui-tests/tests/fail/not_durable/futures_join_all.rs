use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn run() {
    futures::future::join_all([step(1), step(2)]).await;
}

fn main() {}
