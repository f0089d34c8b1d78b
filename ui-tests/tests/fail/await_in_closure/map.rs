use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn run() {
    let all = vec![1, 2].into_iter().map(|n| step(n).await);
    let _ = all.count();
}

fn main() {}
