//! `?` behind what gives no `Result`: said once, of the `?`.

use piton::prelude::*;

#[activity]
async fn stock(shelf: u64) -> u64 {
    shelf
}

#[workflow]
async fn run(shelf: u64) -> Option<u64> {
    let first = stock(shelf).await?;
    let (second, third) = join!(async { Some(stock(first).await?) }, stock(first + 1));
    let total = second?.checked_add(stock(third.pow(2)).await?)?;
    Some(total)
}

fn main() {}
