//! Patterns that take parts of one value before and after an await.

use piton::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
struct Job {
    lines: Vec<u64>,
    name: String,
}

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn run(job: Job) -> String {
    let Job { lines, .. } = job;
    step(lines[0]).await;
    let Job { name, .. } = job;
    name
}

fn main() {}
