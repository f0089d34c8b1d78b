use piton::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
struct Named {
    name: &'static str,
}

fn label(number: u64) -> &'static str {
    if number > 1 { "many" } else { "one" }
}

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn of_a_function(number: u64) -> usize {
    let text = label(number);
    step(1).await;
    text.len()
}

#[workflow]
async fn in_a_struct() -> usize {
    let named = Named { name: "a" };
    step(1).await;
    named.name.len()
}

fn main() {}
