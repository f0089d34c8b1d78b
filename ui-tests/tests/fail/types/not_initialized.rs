use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn before(number: u64) -> u64 {
    let total: u64;
    if number > 3 {
        total = step(1).await;
    }
    total
}

#[workflow]
async fn across(number: u64) -> u64 {
    let total;
    step(1).await;
    if step(number).await > 3 {
        total = 4;
    }
    step(2).await;
    total
}

#[workflow]
async fn in_a_loop(number: u64) -> u64 {
    let last;
    for at in 0..number {
        last = step(at).await;
    }
    last
}

fn main() {}
