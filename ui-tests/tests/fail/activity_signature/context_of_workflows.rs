use piton::prelude::*;

#[activity]
async fn step(cx: &Context, number: u64) -> u64 {
    number
}

#[workflow]
async fn run(number: u64) -> u64 {
    step(number).await
}

fn main() {}
