//! What a branch makes on the way, or borrows of a value of its own, cannot be borrowed again, and neither can what a
//! loop returns.

use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[activity]
async fn load(number: u64) -> String {
    number.to_string()
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

#[workflow]
async fn made(known: bool, other: String) -> String {
    let word = if known { &other } else { &load(1).await };
    step(1).await;
    word.clone()
}

#[workflow]
async fn used_at_once(known: bool, other: String) -> String {
    let word = if known { &other } else { &load(1).await };
    word.clone()
}

#[workflow]
async fn of_a_loop(words: Vec<String>, other: String) -> String {
    let word = loop {
        if step(1).await > 0 {
            break &words[0];
        }
        if words.len() > 1 {
            break &other;
        }
    };
    step(2).await;
    word.clone()
}

#[workflow]
async fn of_a_block(words: Vec<String>, other: String) -> String {
    let word = 'found: {
        if words.len() > 1 {
            break 'found &words[0];
        }
        &other
    };
    step(2).await;
    word.clone()
}

fn main() {}
