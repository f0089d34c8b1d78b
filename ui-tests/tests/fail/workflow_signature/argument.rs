use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

struct Plain(u64);

#[workflow]
async fn run(plain: Plain, number: u64) -> u64 {
    step(plain.0).await + number
}

#[workflow]
async fn caller() -> u64 {
    run(Plain(1), 2).await
}

fn main() {}
