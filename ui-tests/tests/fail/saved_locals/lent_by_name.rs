//! A method of the program that gives a value by the name of one that lends.

use piton::prelude::*;

#[derive(serde::Serialize, serde::Deserialize)]
struct Names {
    all: Vec<String>,
}

impl Names {
    fn first(&self) -> Option<String> {
        self.all.iter().min().cloned()
    }

    fn get(&self, at: usize) -> Option<usize> {
        self.all.get(at).map(String::len)
    }
}

#[activity]
async fn count(n: u64) -> u64 {
    n
}

#[workflow]
async fn text(names: Names) -> u64 {
    if let Some(name) = names.first() {
        count(1).await + name.len() as u64
    } else {
        0
    }
}

#[workflow]
async fn number(names: Names) -> usize {
    let length = names.get(0);
    count(1).await;
    length.unwrap_or(0)
}

fn main() {}
