use piton::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Update, Serialize, Deserialize)]
struct Add<T> {
    number: T,
}

#[derive(Update, Serialize, Deserialize)]
#[update(answer = u64)]
struct Subtract;

#[derive(Update, Serialize, Deserialize)]
#[update]
struct Multiply {
    #[update(reply = u64)]
    by: u64,
}

#[derive(Update)]
struct Divide;

fn main() {}
