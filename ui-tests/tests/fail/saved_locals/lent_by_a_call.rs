use std::collections::BTreeMap;

use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[derive(Default, serde::Serialize, serde::Deserialize)]
struct Job {
    log: Vec<u64>,
}

impl Job {
    fn enter(&mut self, number: u64) -> &mut Self {
        self.log.push(number);
        self
    }
}

#[workflow]
async fn chain(number: u64) -> u64 {
    let mut job = Job::default();
    job.enter(number).log.push(step(number).await);
    job.log.len() as u64
}

/// The entry would be left without a value by the `break`.
#[workflow]
async fn entry(number: u64) -> u64 {
    let mut map: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
    loop {
        map.entry(number).or_default().push(match step(number).await {
            0 => break,
            other => other,
        });
    }
    map.len() as u64
}

fn main() {}
