use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

fn apply(rate: impl Fn() -> u64, number: u64) -> u64 {
    rate() * number
}

#[workflow]
async fn run() -> u64 {
    let mut rate = 1;
    rate += 1;
    let first = apply(move || rate, step(rate).await);
    first + apply(move || rate, {
        rate = 10;
        step(rate).await
    })
}

fn main() {}
