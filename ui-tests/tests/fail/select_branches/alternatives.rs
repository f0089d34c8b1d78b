use std::time::Duration;

use piton::prelude::*;

#[activity]
async fn stock(item: u64) -> (u64, String) {
    (item, String::new())
}

#[workflow]
async fn run(cx: &Context) -> usize {
    select! {
        (0 | 1, place) = stock(1) => place.len(),
        () = cx.sleep(Duration::from_secs(60)) => 0,
    }
}

fn main() {}
