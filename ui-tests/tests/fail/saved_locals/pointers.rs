use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn run(number: u64) -> bool {
    let raw = &raw const number;
    let shown: Box<dyn std::fmt::Display> = Box::new(number);
    step(1).await;
    raw.is_null() || shown.to_string().is_empty()
}

fn main() {}
