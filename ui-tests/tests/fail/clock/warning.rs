#![deny(deprecated)]

use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow(warn(clock))]
async fn run(cx: &Context) {
    let _ = std::time::Instant::now();
    step(1).await;
}

fn main() {}
