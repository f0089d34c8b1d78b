use piton::prelude::*;

#[activity]
struct Order {
    id: u64,
}

#[activity]
mod orders {}

fn main() {}
