//! A list that is not `mut`, and is changed behind an await.

use piton::prelude::*;

#[activity]
async fn fetch(name: String) -> String {
    name
}

#[workflow]
async fn list(count: u64) -> Vec<String> {
    let list: Vec<String> = Vec::new();
    for i in 0..count {
        if i % 2 == 0 {
            list.push(fetch("a".to_owned()).await);
        } else if list.last().is_some_and(|it| it.len() > 2) {
            fetch("b".to_owned()).await;
        }
    }
    list
}

fn main() {}
