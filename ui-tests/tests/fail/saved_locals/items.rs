use std::collections::BTreeMap;

use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

/// Items that borrow, out of an iterator that is not made again.
#[workflow]
async fn mapped(words: Vec<(String, u64)>) -> u64 {
    let mut sum = 0;
    for word in words.iter().map(|(word, _)| word) {
        sum += step(1).await + word.len() as u64;
    }
    sum
}

/// A borrow that does not give references.
struct Numbers;

impl IntoIterator for &Numbers {
    type Item = u64;
    type IntoIter = std::vec::IntoIter<u64>;

    fn into_iter(self) -> Self::IntoIter {
        vec![1, 2, 3].into_iter()
    }
}

#[workflow]
async fn owned() {
    const NUMBERS: Numbers = Numbers;
    for number in &NUMBERS {
        step(number).await;
    }
}

/// A method that is called as if it lent what it gives.
#[derive(serde::Serialize, serde::Deserialize)]
struct Limits(u64, u64);

impl Limits {
    fn values(&self) -> impl Iterator<Item = u64> {
        [self.0, self.1].into_iter()
    }
}

#[workflow]
async fn values(limits: Limits) {
    for limit in limits.values() {
        step(limit).await;
    }
}

#[workflow]
async fn entry(mut map: BTreeMap<String, u64>) {
    let first = map.first_entry();
    let number = step(1).await;
    if let Some(mut first) = first {
        first.insert(step(number).await);
    }
}

fn main() {}
