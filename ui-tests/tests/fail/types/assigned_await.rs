//! Nothing can be assigned to what an await gives.

use piton::prelude::*;

#[activity]
async fn stock(shelf: u64) -> u64 {
    shelf
}

#[workflow]
async fn run(shelf: u64) {
    stock(shelf).await = 1;
    (stock(shelf).await) += 1;
}

fn main() {}
