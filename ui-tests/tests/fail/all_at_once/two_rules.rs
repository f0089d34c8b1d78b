use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn run() {
    println!("starting");
    let _ = std::env::var("HOME");
    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    step(1).await;
}

fn main() {}
