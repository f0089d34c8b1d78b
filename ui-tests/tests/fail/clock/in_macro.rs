use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn run(cx: &Context) {
    tracing::info!(at = ?std::time::SystemTime::now(), "begins");
    step(1).await;
}

fn main() {}
