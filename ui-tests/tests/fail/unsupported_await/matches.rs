use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn run(number: Option<u64>) -> bool {
    matches!(number, Some(number) if step(number).await > 1)
}

fn main() {}
