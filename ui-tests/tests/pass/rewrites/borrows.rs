use std::collections::BTreeMap;

use piton::prelude::*;
use serde::{Deserialize, Serialize};

#[activity]
async fn fetch(number: u64) -> String {
    number.to_string()
}

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[derive(Serialize, Deserialize)]
enum Job {
    Queued(u64),
    Running(u64),
}

#[workflow]
async fn one_arm_for_each_alternative(mut job: Job) -> Job {
    match &mut job {
        Job::Queued(count) => *count += step(1).await,
        Job::Running(count) => *count += step(1).await,
    }
    let number = match job {
        Job::Queued(count) | Job::Running(count) => count,
    };
    Job::Running(step(number).await)
}

#[workflow]
async fn index_of_a_loop(lines: Vec<String>) -> String {
    let mut number = 0;
    let at = loop {
        if step(number).await > 1 {
            break 0;
        }
        number += 1;
    };
    let line = &lines[at];
    step(2).await;
    line.clone()
}

#[workflow]
async fn made_before_it_is_borrowed(known: bool, old: String) -> String {
    let loaded = if known { None } else { Some(fetch(1).await) };
    let page = loaded.as_ref().unwrap_or(&old);
    step(1).await;
    page.clone()
}

#[workflow]
async fn both_parts_of_a_pair(line: String) -> Option<String> {
    let (key, _) = line.split_once('=')?;
    step(1).await;
    Some(key.to_owned())
}

struct Stage {
    steps: &'static [u64],
}

const STAGES: [Stage; 2] = [Stage { steps: &[1, 2] }, Stage { steps: &[] }];

#[workflow]
async fn constant_that_has_the_list(number: usize) -> usize {
    let stage = &STAGES[number];
    step(1).await;
    stage.steps.len()
}

#[workflow]
async fn clones_of_both(ours: Vec<u64>, theirs: Vec<u64>) -> u64 {
    let mut sum = 0;
    for list in [ours.clone(), theirs.clone()] {
        sum += step(1).await * list.len() as u64;
    }
    sum + (ours.len() + theirs.len()) as u64
}

#[workflow]
async fn in_the_body(words: Vec<String>) -> u64 {
    let mut sum = 0;
    for word in &words {
        if word.is_empty() {
            break;
        }
        sum += step(word.len() as u64).await;
    }
    for (word, number) in words.iter().zip(1..) {
        sum += step(number).await + word.len() as u64;
    }
    sum
}

#[derive(Serialize, Deserialize)]
struct Prices(BTreeMap<String, u64>);

impl Prices {
    fn get(&self, sku: &str) -> Option<u64> {
        self.0.get(sku).copied()
    }
}

#[workflow]
async fn value_with_its_type(prices: Prices, sku: String) -> u64 {
    let price: Option<u64> = prices.get(&sku);
    step(1).await;
    price.unwrap_or(0)
}

#[workflow]
async fn told_by_an_annotation(numbers: Vec<u64>) -> Option<String> {
    let mut best: Option<String> = None;
    for number in numbers {
        match &best {
            None => best = Some(fetch(number).await),
            Some(text) if text.len() > 1 => break,
            Some(_) => {}
        }
    }
    best
}

macro_rules! add {
    ($name:ident, $x:ident) => {
        #[workflow]
        async fn $name(x: u64, $x: u64) -> u64 {
            step(x).await + $x
        }
    };
}

add!(sum, y);
