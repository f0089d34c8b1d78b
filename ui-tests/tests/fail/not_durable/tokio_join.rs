use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn run() -> u64 {
    let (a, b) = tokio::join!(step(1), step(2));
    let c = tokio::try_join!(step(a), step(b));
    c.unwrap().0
}

fn main() {}
