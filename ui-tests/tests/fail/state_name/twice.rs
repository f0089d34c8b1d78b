use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn run() {
    #[state("waiting")]
    step(1).await;
    #[state("waiting")]
    step(2).await;
}

fn main() {}
