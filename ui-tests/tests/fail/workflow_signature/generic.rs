use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn run<T: Into<u64>>(value: T) {
    step(value.into()).await;
}

fn main() {}
