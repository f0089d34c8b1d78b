//! An argument that cannot be stored is held across an await: it is said once.

use std::fmt::Display;

use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

struct Plain {
    number: u64,
}

#[workflow]
async fn shown(value: Box<dyn Display>) -> u64 {
    step(1).await + value.to_string().len() as u64
}

#[workflow]
async fn plain(mut plain: Plain) -> u64 {
    plain.number += step(1).await;
    plain.number += step(2).await;
    plain.number
}

fn main() {}
