use std::cell::RefCell;

use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn iterator(list: Vec<u64>) {
    let mut rest = list.iter();
    while let Some(number) = rest.next() {
        step(*number).await;
    }
}

#[workflow]
async fn pattern(mut names: Vec<String>) -> Vec<String> {
    if let Some(name) = names.iter_mut().filter(|name| name.is_empty()).last() {
        step(1).await;
        name.push('!');
    }
    names
}

#[workflow]
async fn cell(number: u64) -> u64 {
    let cell = RefCell::new(number);
    let mut inside = cell.borrow_mut();
    *inside += step(1).await;
    *inside
}

fn main() {}
