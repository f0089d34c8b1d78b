//! A list in a field of a constant, held without the constant.

use piton::prelude::*;

struct Stage {
    steps: &'static [u64],
}

const STAGES: [Stage; 2] = [Stage { steps: &[1, 2] }, Stage { steps: &[] }];

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn run(number: usize) -> usize {
    let steps = STAGES[number].steps;
    step(1).await;
    steps.len()
}

fn main() {}
