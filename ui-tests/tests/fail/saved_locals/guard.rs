use std::sync::Mutex;

use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn run() {
    let shared = Mutex::new(1);
    let guard = shared.lock().unwrap();
    step(1).await;
    let _ = *guard;
}

fn main() {}
