use piton::prelude::*;

#[activity]
async fn good(number: u64) -> bool {
    number > 1
}

#[workflow]
async fn run(pair: Option<(u64, u64)>) -> u64 {
    match pair {
        Some((1, number) | (number, _)) if good(number).await => number,
        _ => 0,
    }
}

fn main() {}
