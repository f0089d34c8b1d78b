use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn run(number: u64) -> u64 {
    let sum = step(1).await + (#[state("sum")] (number + 1));
    #[state("double")]
    let double = sum * 2;
    double
}

fn main() {}
