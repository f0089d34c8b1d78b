use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn run() {
    static mut COUNTER: u64 = 0;
    step(1).await;
}

fn main() {}
