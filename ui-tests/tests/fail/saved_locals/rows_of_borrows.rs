//! Loops over several borrows.

use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn looked_at(ours: Vec<u64>, theirs: Vec<u64>) -> u64 {
    let mut sum = 0;
    for numbers in [&ours, &theirs] {
        sum += step(1).await;
        sum += numbers.len() as u64;
    }
    sum
}

#[workflow]
async fn changed(mut ours: Vec<u64>, mut theirs: Vec<u64>) -> (Vec<u64>, Vec<u64>) {
    for numbers in [&mut ours, &mut theirs] {
        numbers.push(step(1).await);
    }
    (ours, theirs)
}

fn main() {}
