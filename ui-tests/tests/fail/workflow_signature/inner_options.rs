use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn run(number: u64) -> u64 {
    #[workflow(strict)]
    async fn inner(number: u64) -> u64 {
        step(number).await
    }

    inner(number).await + step(1).await
}

fn main() {}
