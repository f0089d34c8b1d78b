use piton::prelude::*;

#[activity(start_to_close = "soon")]
async fn add(a: u64, b: u64) -> u64 {
    a + b
}

fn main() {}
