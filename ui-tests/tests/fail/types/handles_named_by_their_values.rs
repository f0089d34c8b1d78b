//! The type of a handle names the operation.

use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn bill(number: u64) -> u64 {
    step(number).await
}

#[workflow]
async fn run(cx: &Context) -> u64 {
    let spawned: Spawned<u64> = cx.spawn(step(1));
    let child: ChildHandle<u64> = cx.start_child(bill(1));
    step(2).await
}

fn main() {}
