use std::cell::RefCell;
use std::rc::Rc;

use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn run(number: u64) -> bool {
    let shared = Rc::new(RefCell::new(number));
    let raw = &raw const number;
    let shown: Box<dyn std::fmt::Display> = Box::new(number);
    step(1).await;
    *shared.borrow() == 0 || raw.is_null() || shown.to_string().is_empty()
}

fn main() {}
