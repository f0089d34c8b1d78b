//! Functions and constructors in variables.

use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

fn double(number: u64) -> u64 {
    number * 2
}

#[workflow]
async fn function() -> u64 {
    let change = double;
    let number = step(1).await;
    change(number)
}

#[workflow]
async fn constructor() -> Option<u64> {
    let wrap = Some;
    let number = step(1).await;
    wrap(number)
}

fn main() {}
