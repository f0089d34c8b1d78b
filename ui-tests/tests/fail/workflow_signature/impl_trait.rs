use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn run(name: impl Into<String>) -> impl Sized {
    step(1).await;
}

fn main() {}
