use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn run() {
    let number = dbg!(step(1).await);
    step(number).await;
}

fn main() {}
