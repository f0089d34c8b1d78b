use std::borrow::Cow;

use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn run<'a>(name: Cow<'a, str>) -> u64 {
    step(name.len() as u64).await
}

fn main() {}
