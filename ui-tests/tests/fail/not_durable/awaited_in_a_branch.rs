//! `.await` in a branch of `join!`, and behind values.

use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn run(cx: &Context) -> u64 {
    let (first, second) = join!(step(1).await, step(2));
    let now = cx.now().await;
    first + second
}

fn main() {}
