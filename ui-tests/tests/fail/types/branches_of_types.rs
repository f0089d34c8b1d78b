//! The branches of an expression give values of one type.

use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn without_else(number: u64) {
    let found = if number > 3 { step(number).await };
    step(number).await;
    drop(found);
}

#[workflow]
async fn with_else(number: u64) -> usize {
    let text = if number > 3 { step(number).await } else { "none" };
    step(number).await;
    text.len()
}

#[workflow]
async fn arms(number: u64) -> Option<u64> {
    match step(number).await {
        0 => Some(step(number).await),
        1 => step(number).await,
        _ => None,
    }
}

#[workflow]
async fn operand(number: u64) {
    step(if number > 3 { step(number).await } else { "none" }).await;
}

#[workflow]
async fn jumps(number: u64) {
    let found = loop {
        if step(number).await > 3 {
            break "none";
        }
        if step(number).await > 4 {
            break 4;
        }
    };
    drop(found);
}

#[workflow]
async fn later(number: u64) {
    let found;
    if number > 3 {
        found = step(number).await;
    } else {
        found = "none";
    }
    step(number).await;
    drop(found);
}

#[workflow]
async fn pattern(number: u64) {
    let Some(found) = step(number).await else { return };
    drop(found);
}

fn main() {}
