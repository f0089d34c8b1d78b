//! What is wrong with the items of a loop is said once, of what the loop goes through.

use piton::prelude::*;

#[activity]
async fn list(number: u64) -> Vec<u64> {
    vec![number]
}

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn of_a_number(number: u64) {
    for item in step(number).await {
        step(item).await;
    }
    let kept = step(number).await;
    for item in kept {
        step(number).await;
    }
}

#[workflow]
async fn of_no_method(number: u64) {
    for _ in list(number).await.nothing() {
        step(number).await;
    }
}

#[workflow]
async fn of_no_field(number: u64) {
    let numbers = list(number).await;
    for item in numbers.iter().map(|number| number.nothing) {
        step(item).await;
    }
}

#[workflow]
async fn of_another_shape(number: u64) {
    for (first, _) in list(number).await {
        step(first).await;
    }
}

fn main() {}
