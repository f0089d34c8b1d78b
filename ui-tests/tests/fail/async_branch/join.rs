use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn run() {
    let _ = join!(step(1), async { step(2).await + 1 });
}

fn main() {}
