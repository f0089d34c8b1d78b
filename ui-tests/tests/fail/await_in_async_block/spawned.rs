use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn run(cx: &Context, number: u64) -> u64 {
    let sum = cx.spawn(async move { step(number).await + step(1).await });
    step(2).await + sum.await
}

fn main() {}
