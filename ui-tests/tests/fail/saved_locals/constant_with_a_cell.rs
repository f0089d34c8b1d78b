use std::cell::Cell;

use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

struct Job {
    tries: Cell<u64>,
}

const IDLE: Job = Job { tries: Cell::new(0) };

impl Job {
    const NEW: Job = IDLE;
}

#[workflow]
async fn by_value() -> u64 {
    let job = IDLE;
    job.tries.set(1);
    step(1).await;
    step(2).await;
    job.tries.get()
}

#[workflow]
async fn borrowed() -> u64 {
    let job = &Job::NEW;
    job.tries.set(1);
    step(1).await;
    job.tries.get()
}

#[workflow]
async fn before_the_await() -> u64 {
    let job = IDLE;
    job.tries.set(1);
    step(job.tries.get()).await
}

fn main() {}
