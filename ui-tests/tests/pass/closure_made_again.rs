use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn run() {
    let add = |number: u64| number + 1;
    step(add(1)).await;
    step(add(2)).await;
}
