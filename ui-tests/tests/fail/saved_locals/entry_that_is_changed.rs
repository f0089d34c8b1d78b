//! An entry that is changed before what is in it is borrowed.

use std::collections::BTreeMap;

use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn run(mut totals: BTreeMap<u64, u64>) -> BTreeMap<u64, u64> {
    let total = totals.entry(7).and_modify(|total| *total += 1).or_default();
    *total += step(1).await;
    step(2).await;
    *total += 1;
    totals
}

fn main() {}
