use piton::prelude::*;

#[activity(start_to_end = "30s", retry(max_attempt = 3))]
async fn add(a: u64, b: u64) -> u64 {
    a + b
}

fn main() {}
