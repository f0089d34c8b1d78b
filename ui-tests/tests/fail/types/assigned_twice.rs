//! An assignment to what is not `mut` is one also where the first value is not needed any more.

use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn behind_an_await(mut limit: u64) -> u64 {
    let number = step(limit).await;
    limit = step(2).await;
    number = 3;
    step(limit).await
}

#[workflow]
async fn parameter(number: u64) -> u64 {
    step(1).await;
    number = 2;
    number
}

#[workflow]
async fn in_a_loop(list: Vec<u64>) -> Option<u64> {
    let last = None;
    for number in list {
        last = Some(step(number).await);
    }
    last
}

fn main() {}
