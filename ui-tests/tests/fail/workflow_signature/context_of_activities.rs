use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn run(cx: &ActivityContext, number: u64) -> u64 {
    step(number).await
}

fn main() {}
