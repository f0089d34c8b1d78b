use piton::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Clone, Serialize, Deserialize)]
struct Queue {
    jobs: Vec<u64>,
}

impl Queue {
    fn ready(&mut self) -> impl Iterator<Item = u64> {
        std::iter::from_fn(|| self.jobs.pop())
    }
}

fn ready(jobs: &mut Vec<u64>) -> impl Iterator<Item = u64> {
    std::iter::from_fn(|| jobs.pop())
}

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn by_a_method(mut queue: Queue) -> Queue {
    for job in queue.ready() {
        if step(job).await > 3 {
            break;
        }
    }
    queue
}

#[workflow]
async fn by_a_function(mut jobs: Vec<u64>) -> usize {
    for job in ready(&mut jobs) {
        if step(job).await > 3 {
            break;
        }
    }
    jobs.len()
}

#[workflow]
async fn taken_out(mut jobs: Vec<u64>) -> Vec<u64> {
    for job in jobs.extract_if(.., |job| *job > 2) {
        if step(job).await > 3 {
            break;
        }
    }
    jobs
}

#[workflow]
async fn beside_and_left(names: Vec<String>) -> Option<u64> {
    let mut ids = 1..100;
    for (name, id) in names.iter().zip(ids.by_ref()) {
        if step(id + name.len() as u64).await > 3 {
            break;
        }
    }
    ids.next()
}

#[workflow]
async fn lent() -> Option<u64> {
    let mut ids = 1..100;
    let left = &mut ids;
    for id in left {
        if step(id).await > 3 {
            break;
        }
    }
    ids.next()
}

fn main() {}
