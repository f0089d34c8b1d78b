use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn run() -> u64 {
    let mut sum = 0;
    let mut add = |number: u64| sum += number;
    add(step(1).await);
    sum
}

fn double(number: u64) -> u64 {
    number * 2
}

fn half(number: u64) -> u64 {
    number / 2
}

#[workflow]
async fn pointer(number: u64) -> u64 {
    let change = if number > 5 { half } else { double };
    change(step(number).await)
}

fn main() {}
