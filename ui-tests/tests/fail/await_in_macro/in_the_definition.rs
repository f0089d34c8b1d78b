use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

macro_rules! stepped {
    ($number:expr) => {
        step($number).await
    };
}

macro_rules! twice {
    ($number:expr) => {
        stepped!($number) * 2
    };
}

#[workflow]
async fn run() -> u64 {
    stepped!(1) + twice!(2)
}

fn main() {}
