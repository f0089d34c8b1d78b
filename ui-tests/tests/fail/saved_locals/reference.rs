use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn run() {
    let words = vec![String::from("a")];
    let first = words.iter().next().unwrap();
    step(1).await;
    let _ = first.len();
}

fn main() {}
