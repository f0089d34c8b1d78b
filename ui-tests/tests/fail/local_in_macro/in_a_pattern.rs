use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

macro_rules! both {
    ($first:pat, $second:pat) => {
        ($first, $second)
    };
}

#[workflow]
async fn run(number: u64) -> u64 {
    let both!(first, second) = (number, 2);
    match (first, step(second).await) {
        both!(1, _) => 1,
        both!(_, sum) => step(sum).await,
    }
}

fn main() {}
