use piton::prelude::*;

mod limits {
    #![allow(non_upper_case_globals)]
    pub const seven: u64 = 7;
    pub const eight: u64 = 8;
}
use limits::{eight, seven};

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn run(number: u64) -> u64 {
    let first = match step(number).await {
        seven => step(1).await,
        _ => 0,
    };
    let second = match step(first).await {
        seven => step(2).await,
        other => other,
    };
    if let (other, eight) = (second, first) {
        step(other + eight).await;
    }
    eight
}

fn main() {}
