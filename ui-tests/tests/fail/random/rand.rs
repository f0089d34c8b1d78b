use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn run(cx: &Context) {
    let number: u64 = rand::random();
    step(number).await;
}

fn main() {}
