use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

macro_rules! bind {
    ($name:ident, $value:expr) => {
        let $name = $value;
    };
}

#[workflow]
async fn run(number: u64) -> u64 {
    let sum = number;
    let inner = {
        bind!(sum, sum + 100);
        step(sum).await + sum
    };
    sum * 1000 + inner
}

fn main() {}
