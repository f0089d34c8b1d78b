use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow(allow(clocks, await_in_closure), name = "a", name = "b")]
async fn run() {
    step(1).await;
}

fn main() {}
