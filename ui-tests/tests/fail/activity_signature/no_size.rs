use piton::prelude::*;

#[activity]
async fn step(text: str, numbers: [u64]) -> [u64] {
    numbers
}

fn main() {}
