use std::fs::File;
use std::thread::JoinHandle;
use std::time::Instant;

use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

fn opened() -> Option<File> {
    None
}

fn started() -> Option<JoinHandle<u64>> {
    None
}

fn noted() -> Option<Instant> {
    None
}

#[workflow]
async fn run() -> bool {
    let file = opened();
    let thread = started();
    let before = noted();
    step(1).await;
    file.is_some() && thread.is_some() && before.is_some()
}

fn main() {}
