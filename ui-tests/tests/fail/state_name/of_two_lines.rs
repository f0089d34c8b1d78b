use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn run() {
    #[state("waiting\nfor a number")]
    step(1).await;
}

fn main() {}
