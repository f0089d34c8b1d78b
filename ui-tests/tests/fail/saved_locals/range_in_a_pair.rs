use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn run() -> u64 {
    let mut pair = (1..=3, 0);
    while let Some(number) = pair.0.next() {
        pair.1 += step(number).await;
    }
    pair.1
}

fn main() {}
