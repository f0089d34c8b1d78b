use piton::prelude::*;
use serde::{Deserialize, Serialize};

#[workflow(name = "order\0")]
async fn with_a_nul() {}

#[workflow(name = "order\nfulfil")]
async fn of_two_lines() {}

#[activity(name = "")]
async fn without() {}

#[activity(name = "\u{7f}", queue = "a\tb")]
async fn deleted() {}

#[derive(Signal, Serialize, Deserialize)]
#[signal(name = "\u{0}")]
struct Approve;

#[workflow]
async fn keep<T: piton::machine::Durable>(value: T) -> T {
    value
}

register!(keep::<u64>, name = "keep\0");

fn main() {}
