//! One part of a pair that a method returns.

use std::collections::BTreeMap;

use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn text(line: String) -> usize {
    let key = line.split_once('=').unwrap().0;
    step(1).await;
    key.len()
}

#[workflow]
async fn number(totals: BTreeMap<String, u64>) -> u64 {
    let first = totals.first_key_value().unwrap().1;
    step(1).await;
    *first
}

#[workflow]
async fn of_a_variable(totals: BTreeMap<String, u64>) -> u64 {
    let Some(pair) = totals.last_key_value() else { return 0 };
    let last = pair.1;
    step(1).await;
    *last
}

#[workflow]
async fn operand(line: String) -> u64 {
    same(line.split_once('=').unwrap().0, step(1).await)
}

fn same(_: &str, number: u64) -> u64 {
    number
}

fn main() {}
