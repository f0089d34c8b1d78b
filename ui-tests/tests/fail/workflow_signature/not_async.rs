use piton::prelude::*;

#[workflow]
fn run() -> u64 {
    1
}

fn main() {}
