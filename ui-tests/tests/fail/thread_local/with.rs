use std::cell::Cell;

use piton::prelude::*;

thread_local! {
    static DEPTH: Cell<u64> = const { Cell::new(0) };
}

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn run() {
    step(DEPTH.with(Cell::get)).await;
}

fn main() {}
