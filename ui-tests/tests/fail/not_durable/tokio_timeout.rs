use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn run(cx: &Context) {
    let limit = std::time::Duration::from_secs(1);
    let _ = tokio::time::timeout(limit, step(1)).await;
}

fn main() {}
