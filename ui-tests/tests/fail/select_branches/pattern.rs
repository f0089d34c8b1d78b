use std::time::Duration;

use piton::prelude::*;

#[activity]
async fn stock(item: u64) -> Option<u64> {
    Some(item)
}

#[workflow]
async fn run(cx: &Context) -> u64 {
    select! {
        Some(left) = stock(1) => left,
        () = cx.sleep(Duration::from_secs(60)) => 0,
    }
}

fn main() {}
