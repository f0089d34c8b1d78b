//! What one branch or round has moved is missed where it is used next.

use piton::prelude::*;

#[activity]
async fn fetch(name: String) -> String {
    name
}

#[workflow]
async fn branch(number: u64) -> String {
    let text = fetch("a".to_owned()).await;
    if number > 3 {
        fetch("b".to_owned()).await;
        drop(text);
    }
    text
}

#[workflow]
async fn round(number: u64) {
    let text = fetch("a".to_owned()).await;
    for _ in 0..number {
        drop(text);
        fetch("b".to_owned()).await;
    }
}

fn main() {}
