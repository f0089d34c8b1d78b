use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn run(names: Vec<String>) -> usize {
    let first = names;
    step(1).await;
    names.len() + first.len()
}

fn main() {}
