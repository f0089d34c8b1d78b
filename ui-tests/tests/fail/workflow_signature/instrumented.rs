use piton::prelude::*;

#[activity]
#[tracing::instrument]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
#[tracing::instrument(skip_all)]
async fn below(number: u64) -> u64 {
    step(number).await
}

#[tracing::instrument]
#[workflow]
async fn above(number: u64) -> u64 {
    step(number).await
}

#[workflow]
async fn both(number: u64) -> u64 {
    below(number).await + above(number).await
}

fn main() {}
