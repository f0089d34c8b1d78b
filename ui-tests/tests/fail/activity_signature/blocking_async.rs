use piton::prelude::*;

#[activity(blocking)]
async fn add(a: u64, b: u64) -> u64 {
    a + b
}

fn main() {}
