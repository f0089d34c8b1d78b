use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn run() {
    std::thread::spawn(|| 1);
    step(1).await;
}

fn main() {}
