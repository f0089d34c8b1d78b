use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn run() {
    step(1).await;
    #[state("step")]
    step(2).await;
    step(3).await;
    #[state("step#2")]
    step(4).await;
}

fn main() {}
