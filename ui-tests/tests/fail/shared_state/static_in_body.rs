use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn run() {
    static SEEN: std::sync::Mutex<u64> = std::sync::Mutex::new(0);
    step(1).await;
}

fn main() {}
