use std::sync::atomic::{AtomicU64, Ordering};

use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

static COUNTER: AtomicU64 = AtomicU64::new(0);

#[workflow]
async fn run() {
    COUNTER.fetch_add(1, Ordering::Relaxed);
    step(1).await;
}

fn main() {}
