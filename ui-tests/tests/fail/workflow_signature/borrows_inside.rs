use std::borrow::Cow;

use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn run(names: Vec<&str>, title: Cow<'_, str>) -> Option<&'static str> {
    step((names.len() + title.len()) as u64).await;
    None
}

#[workflow]
async fn caller() -> bool {
    run(Vec::new(), Cow::Borrowed("x")).await.is_some()
}

fn main() {}
