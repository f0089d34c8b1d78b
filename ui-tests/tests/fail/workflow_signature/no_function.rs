use piton::prelude::*;

#[workflow]
struct Order {
    id: u64,
}

#[workflow]
mod orders {}

#[workflow]
const LIMIT: u64 = 3;

fn main() {}
