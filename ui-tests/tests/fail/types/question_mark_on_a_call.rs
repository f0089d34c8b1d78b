//! `?` on a call that is not awaited, and on another value: said once.

use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

fn known(number: u64) -> bool {
    number > 3
}

#[workflow]
async fn run(number: u64) -> Option<u64> {
    let first = step(number)?;
    let second = step(first).await;
    let third = known(second)?;
    step(third).await;
    Some(second)
}

fn main() {}
