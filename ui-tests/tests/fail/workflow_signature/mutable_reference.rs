//! A helper that changes what its caller has: one refusal, and nothing about the call.

use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn add_line(lines: &mut Vec<u64>, text: &str) {
    lines.push(step(text.len() as u64).await);
}

#[workflow]
async fn caller(texts: Vec<String>) -> Vec<u64> {
    let mut lines = Vec::new();
    for text in &texts {
        add_line(&mut lines, text).await;
    }
    lines
}

fn main() {}
