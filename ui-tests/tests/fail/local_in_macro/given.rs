use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

macro_rules! statements {
    ($($tokens:tt)*) => { $($tokens)* };
}

#[workflow]
async fn run(number: u64) -> u64 {
    statements! {
        let number = number + 100;
    }
    step(number).await;
    number
}

fn main() {}
