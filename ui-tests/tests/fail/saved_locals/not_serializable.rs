use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

struct Plain(u64);

#[workflow]
async fn run() {
    let plain = Plain(1);
    step(1).await;
    let _ = plain.0;
}

fn main() {}
