use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn run() -> u64 {
    step(1).await
}

fn generic<T>(_: T) {}

register!(run);
register!(generic::<u64>);
register!(run, called = "run");

fn main() {}
