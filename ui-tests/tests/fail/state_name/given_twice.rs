use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn run() -> u64 {
    #[state("waiting")]
    #[state("asking")]
    let number = step(1).await;
    number
}

fn main() {}
