use std::sync::Mutex;

use piton::prelude::*;

static SEEN: Mutex<Vec<u64>> = Mutex::new(Vec::new());

#[activity]
async fn step(text: &str) -> u64 {
    text.len() as u64
}

#[workflow]
async fn run() {
    step(&format!("seen: {SEEN:?}")).await;
    assert!(true, "{SEEN:?}");
}

fn main() {}
