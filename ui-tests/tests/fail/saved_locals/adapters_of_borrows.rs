//! Loops over a borrow with adapters of which the items are collected.

use piton::prelude::*;

#[activity]
async fn step(text: &str) -> u64 {
    text.len() as u64
}

#[workflow]
async fn until(words: Vec<String>) {
    for word in words.iter().take_while(|word| !word.is_empty()) {
        step(word).await;
    }
}

#[workflow]
async fn numbered(words: Vec<String>) -> u64 {
    let mut sum = 0;
    for (number, word) in (1..).zip(&words) {
        sum += step(word).await * number;
    }
    sum
}

fn main() {}
