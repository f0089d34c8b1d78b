use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

fn longest(words: &[String]) -> &String {
    &words[0]
}

#[workflow]
async fn run() {
    let words = vec![String::from("a")];
    let first = longest(&words);
    step(1).await;
    let _ = first.len();
}

fn main() {}
