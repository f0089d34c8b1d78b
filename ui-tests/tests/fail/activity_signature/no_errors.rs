use piton::prelude::*;

#[activity(retry(non_retryable = [Declined]))]
async fn add(a: u64, b: u64) -> u64 {
    a + b
}

fn main() {}
