//! rustc proposes the missing arm behind the last one.

use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

enum Stage {
    Packed,
    Shipped(u64),
    Lost,
}

fn stage(number: u64) -> Stage {
    if number > 3 { Stage::Packed } else { Stage::Shipped(number) }
}

#[workflow]
async fn run(number: u64) -> u64 {
    let first = match stage(number) {
        Stage::Packed => step(1).await,
        Stage::Shipped(day) => {
            step(day).await;
            day
        }
    };
    match stage(first) {
        Stage::Packed => 0,
        Stage::Shipped(day) => step(day).await + 1,
    }
}

fn main() {}
