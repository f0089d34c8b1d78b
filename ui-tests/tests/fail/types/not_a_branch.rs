//! `select!` has no `default`.

use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn run(cx: &Context) -> u64 {
    select! {
        number = step(1) => number,
        default => 0,
    }
}

fn main() {}
