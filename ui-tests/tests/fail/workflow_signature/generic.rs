use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn run<T: Clone, U: Durable>(value: Vec<T>, other: U) -> (T, U) {
    step(1).await;
    (value[0].clone(), other)
}

#[workflow]
async fn caller() -> (u64, u64) {
    run(vec![1], 2).await
}

fn main() {}
