use std::net::ToSocketAddrs;

use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn run() {
    let found = ("example.org", 80).to_socket_addrs().is_ok();
    step(found as u64).await;
}

fn main() {}
