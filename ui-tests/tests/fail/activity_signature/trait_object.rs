use std::fmt::Display;

use piton::prelude::*;

#[activity]
async fn show(value: &dyn Display) -> String {
    value.to_string()
}

#[workflow]
async fn run(number: u64) -> String {
    show(&number).await
}

fn main() {}
