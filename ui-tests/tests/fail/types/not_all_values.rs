//! Where guards await, the arms are still to take all values.

use piton::prelude::*;
use serde::{Deserialize, Serialize};

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[derive(Serialize, Deserialize)]
enum Job {
    New(String),
    Late { days: u64 },
    Done,
}

#[workflow]
async fn numbers(list: Vec<u64>) -> u64 {
    match list[0] {
        1 => step(1).await,
        2 => 2,
    }
}

#[workflow]
async fn kinds(job: Job) -> u64 {
    match job {
        Job::New(name) if name.len() > 3 => step(1).await,
        Job::Late { days } if days > 1 => days,
        Job::Late { days } if days > 3 => step(days).await,
        Job::Done => 3,
    }
}

fn main() {}
