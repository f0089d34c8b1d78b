//! What is looked up before an operand that awaits cannot be asked for again if that changes the list.

use piton::prelude::*;

#[activity]
async fn count(n: u64) -> u64 {
    n
}

fn add(first: Option<&u64>, n: u64) -> u64 {
    first.unwrap_or(&0) + n
}

#[workflow]
async fn changed(mut list: Vec<u64>) -> u64 {
    add(list.first(), {
        list.push(1);
        count(1).await
    })
}

fn main() {}
