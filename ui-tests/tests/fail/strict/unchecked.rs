use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

fn twice(number: u64) -> u64 {
    number * 2
}

mod rules {
    pub fn next(number: u64) -> u64 {
        number + 1
    }
}

#[workflow(strict, allow(repeated_state))]
async fn run() {
    let number = twice(step(1).await);
    step(rules::next(number)).await;
}

fn main() {}
