use std::path::Path;

use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn run(name: String) {
    if Path::new(&name).exists() {
        step(1).await;
    }
    let full = Path::new(&name).canonicalize();
    step(full.is_ok() as u64).await;
}

fn main() {}
