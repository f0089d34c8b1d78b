//! An iterator of one's own may have borrowed what it takes its items out of.

use piton::prelude::*;

#[activity]
async fn ship(job: u64) -> u64 {
    job
}

struct Taking<'a>(&'a mut Vec<u64>);

impl<'a> Taking<'a> {
    fn of(jobs: &'a mut Vec<u64>) -> Taking<'a> {
        Taking(jobs)
    }
}

impl Iterator for Taking<'_> {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        self.0.pop()
    }
}

#[workflow]
async fn by_a_constructor(mut jobs: Vec<u64>) -> usize {
    for job in Taking(&mut jobs) {
        if ship(job).await > 2 {
            break;
        }
    }
    jobs.len()
}

#[workflow]
async fn by_a_function(mut jobs: Vec<u64>) -> usize {
    for job in Taking::of(&mut jobs).filter(|job| *job > 0) {
        if ship(job).await > 2 {
            break;
        }
    }
    jobs.len()
}

#[workflow]
async fn to_the_end(mut jobs: Vec<u64>) -> usize {
    for job in Taking(&mut jobs) {
        ship(job).await;
    }
    jobs.len()
}

fn main() {}
