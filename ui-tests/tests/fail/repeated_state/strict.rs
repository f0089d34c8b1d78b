#![deny(deprecated)]

use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow(strict)]
async fn warned() {
    step(1).await;
    step(2).await;
}

#[workflow(strict, allow(repeated_state))]
async fn allowed() {
    step(1).await;
    step(2).await;
}

#[workflow]
async fn not_asked() {
    step(1).await;
    step(2).await;
}

fn main() {}
