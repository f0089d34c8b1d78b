//! Two branches at a time change what is outside: rustc says so of the branches.

use piton::prelude::*;

#[activity]
async fn stock(shelf: u64) -> u64 {
    shelf
}

#[workflow]
async fn count(first: u64, second: u64) -> usize {
    let mut found = Vec::new();
    join!(
        async { found.push(stock(first).await) },
        async { found.push(stock(second).await) },
    );
    found.len()
}

fn main() {}
