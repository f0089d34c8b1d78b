use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn run() -> u64 {
    let a = tokio::spawn(async { step(1).await });
    tokio::task::yield_now().await;
    a.await
}

fn main() {}
