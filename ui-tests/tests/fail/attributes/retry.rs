use piton::prelude::*;

#[activity(retry(initial = 5, backoff = 0.5, max_attempts = "three"), name = "", max_concurrent = 0)]
async fn ping() {}

fn main() {}
