use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn run(by: u64) -> u64 {
    let add = move |number: u64| number + by;
    step(1).await;
    add(2)
}

fn main() {}
