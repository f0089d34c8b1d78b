use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn run(name: impl Into<String>) -> impl Sized {
    step(1).await;
}

/// Who calls it is right.
#[workflow]
async fn call() -> u64 {
    run("name").await;
    run(String::from("name")).await;
    step(2).await
}

fn main() {}
