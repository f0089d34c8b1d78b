use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn run() {
    #[state]
    step(1).await;
    #[state = "x"]
    step(2).await;
    #[state("")]
    step(3).await;
    #[state("a", "b")]
    step(4).await;
}

fn main() {}
