//! Borrows that are operands before an await of the same expression.

use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

fn sum(first: Option<&u64>, second: u64) -> u64 {
    first.copied().unwrap_or(0) + second
}

fn len(list: &Vec<u64>, number: u64) -> u64 {
    list.len() as u64 + number
}

#[workflow]
async fn lookup(list: Vec<u64>) -> u64 {
    sum(list.first(), step(1).await)
}

#[workflow]
async fn of_branches(ours: Vec<u64>, theirs: Vec<u64>, late: bool) -> u64 {
    len(if late { &ours } else { &theirs }, step(1).await)
}

fn main() {}
