use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn run(numbers: Vec<u64>) -> u64 {
    let calls: Vec<_> = numbers.into_iter().map(step).collect();
    let mut sum = 0;
    for call in calls {
        sum += call.await;
    }
    sum
}

fn main() {}
