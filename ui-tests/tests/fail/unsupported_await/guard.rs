use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn run() {
    match step(1).await {
        0 if step(2).await == 0 => {}
        _ => {}
    }
}

fn main() {}
