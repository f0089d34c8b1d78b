//! A method of the program that gives a value by the name of one that lends: where it is held, the value is `Copy`,
//! or its type is written.

use piton::prelude::*;

#[derive(serde::Serialize, serde::Deserialize)]
struct Names {
    all: Vec<String>,
}

impl Names {
    fn first(&self) -> Option<String> {
        self.all.iter().min().cloned()
    }
}

#[activity]
async fn count(n: u64) -> u64 {
    n
}

#[workflow]
async fn run(names: Names) -> u64 {
    if let Some(name) = names.first() {
        count(1).await + name.len() as u64
    } else {
        0
    }
}

fn main() {}
