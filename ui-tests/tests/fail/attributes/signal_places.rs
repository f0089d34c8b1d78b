use piton::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Signal, Serialize, Deserialize)]
#[signal(nam = "x")]
struct Unknown;

#[derive(Signal, Serialize, Deserialize)]
#[signal(name = "")]
struct Empty;

#[derive(Signal, Serialize, Deserialize)]
#[signal(name = "a")]
#[signal(name = "b")]
struct Twice;

#[derive(Signal, Serialize, Deserialize)]
struct Inner {
    #[signal(name = "a")]
    number: u64,
}

#[derive(Signal)]
union Union {
    number: u64,
}

fn main() {}
