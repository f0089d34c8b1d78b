//! An element that a branch finds by an index it computes.

use piton::prelude::*;

#[activity]
async fn pick(number: u64) -> usize {
    number as usize
}

#[workflow]
async fn run(lines: Vec<u64>, best: Option<u64>) -> u64 {
    let line = match best {
        Some(_) => &lines[0],
        None => &lines[pick(1).await],
    };
    pick(2).await;
    *line
}

fn main() {}
