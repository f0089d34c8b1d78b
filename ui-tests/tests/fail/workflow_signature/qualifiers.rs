use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
const async fn constant() {
    step(1).await;
}

#[workflow]
async unsafe fn careless() {
    step(1).await;
}

#[workflow]
async extern "C" fn foreign() {
    step(1).await;
}

#[workflow]
async fn variadic(numbers: ...) {
    step(1).await;
}

fn main() {}
