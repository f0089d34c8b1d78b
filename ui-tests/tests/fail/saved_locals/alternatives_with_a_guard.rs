//! A borrow that several alternatives with a guard bind.

use piton::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
enum Job {
    Queued(u64),
    Running(u64),
}

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn run(job: Job) -> u64 {
    match &job {
        Job::Queued(n) | Job::Running(n) if *n > 3 => {
            step(1).await;
            *n
        }
        _ => 0,
    }
}

fn main() {}
