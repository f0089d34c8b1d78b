use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn run() {
    if step(1).await == 0 {
        std::process::exit(1);
    }
}

fn main() {}
