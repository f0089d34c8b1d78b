//! A mutable borrow that two branches only look at.

use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn run(mut numbers: Vec<u64>) -> u64 {
    let last = numbers.last_mut().unwrap();
    let (a, b) = join!(async { step(*last).await }, async { step(*last + 1).await });
    *last += a + b;
    *last
}

fn main() {}
