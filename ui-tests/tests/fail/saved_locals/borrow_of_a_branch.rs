//! What a branch makes on the way cannot be borrowed again.

use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

fn longest(words: &[String]) -> &String {
    &words[0]
}

#[workflow]
async fn run(words: Vec<String>, other: String) -> String {
    let word = if words.len() > 1 { longest(&words) } else { &other };
    step(1).await;
    word.clone()
}

fn main() {}
