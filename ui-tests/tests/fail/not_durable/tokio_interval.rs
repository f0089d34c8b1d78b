use std::time::Duration;

use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn run(cx: &Context) {
    let mut every_day = tokio::time::interval(Duration::from_secs(86_400));
    loop {
        every_day.tick().await;
        step(1).await;
    }
}

fn main() {}
