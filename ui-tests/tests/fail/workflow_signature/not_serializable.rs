use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

struct Plain(u64);

#[workflow]
async fn run(plain: Plain) -> Plain {
    Plain(step(plain.0).await)
}

#[workflow]
async fn result() -> Result<u64, Box<dyn std::error::Error>> {
    Ok(step(1).await)
}

#[workflow]
async fn caller() -> u64 {
    run(Plain(1)).await.0
}

fn main() {}
