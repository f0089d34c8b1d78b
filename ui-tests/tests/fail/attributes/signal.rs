use piton::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Signal, Serialize, Deserialize)]
struct Approve<T> {
    by: T,
}

#[derive(Signal, Serialize, Deserialize)]
#[signal(named = "order.withdrawn")]
struct Withdraw;

fn main() {}
