//! `try_join!` of what gives no `Result`: said of each operation and block that does not.

use piton::prelude::*;

#[activity]
async fn stock(shelf: u64) -> u64 {
    shelf
}

#[activity]
async fn price(shelf: u64) -> piton::Result<u64> {
    Ok(shelf)
}

#[workflow]
async fn operations(shelf: u64) -> piton::Result<u64> {
    let (stock, price) = try_join!(stock(shelf), price(shelf))?;
    Ok(stock * price)
}

#[workflow]
async fn blocks(shelf: u64) -> piton::Result<u64> {
    let (stock, price, next) =
        try_join!(async { stock(shelf).await }, price(shelf), stock(shelf + 1))?;
    Ok(stock * price + next)
}

fn main() {}
