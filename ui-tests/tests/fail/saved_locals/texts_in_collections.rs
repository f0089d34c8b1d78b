use std::collections::{BTreeMap, BTreeSet};

use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn literals(number: u64) -> usize {
    let mut list = Vec::new();
    list.push("a");
    let mut counts = BTreeMap::new();
    *counts.entry("a").or_insert(0) += number;
    let limits = BTreeMap::from([("low", 1), ("high", 6)]);
    let mut names = BTreeSet::new();
    names.insert("a");
    step(number).await;
    list.len() + counts.len() + limits.len() + names.len()
}

#[workflow]
async fn parts(text: String) -> usize {
    let pairs: BTreeMap<_, _> = text.lines().filter_map(|line| line.split_once('=')).collect();
    step(1).await;
    pairs.len()
}

#[workflow]
async fn coerced(name: String) -> usize {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    counts.insert(&name, 1);
    step(1).await;
    counts.len()
}

macro_rules! map {
    ($key:expr => $value:expr) => {{
        let mut map = BTreeMap::new();
        map.insert($key, $value);
        map
    }};
}

#[workflow]
async fn made() -> usize {
    let map = map!("a" => 1);
    step(1).await;
    map.len()
}

fn main() {}
