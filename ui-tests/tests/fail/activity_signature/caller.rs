use std::time::Duration;

use piton::prelude::*;

#[activity]
async fn wait(list: &mut Vec<u64>, time: Duration) -> Result<Option<u64>, String> {
    list.push(time.as_secs());
    Ok(None)
}

/// What is refused is there for its callers all the same.
#[workflow(strict)]
async fn caller() -> u64 {
    let found = wait(&mut Vec::new(), Duration::ZERO).await;
    found.unwrap_or_default().unwrap_or_default() + 1
}

fn main() {}
