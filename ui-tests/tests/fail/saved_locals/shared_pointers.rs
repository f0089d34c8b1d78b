use std::sync::{Arc, Mutex};

use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn cloned(number: u64) -> u64 {
    let count = Arc::new(Mutex::new(number));
    let other = count.clone();
    let last = Some(std::rc::Rc::new(std::cell::RefCell::new(number)));
    step(1).await;
    *other.lock().unwrap() += 5;
    let sum = *count.lock().unwrap();
    sum + last.map_or(0, |last| *last.borrow())
}

#[workflow]
async fn declared(number: u64) -> usize {
    let mut list: Vec<Arc<str>> = Vec::new();
    for part in 0..number {
        step(part).await;
        list.push("a".into());
    }
    list.len()
}

#[workflow]
async fn used_up(number: u64) -> u64 {
    let count = Arc::new(number);
    let sum = *count + 1;
    step(sum).await
}

type Counter = Arc<Mutex<u64>>;

#[workflow]
async fn under_other_names(number: u64) -> u64 {
    use std::rc::Rc as Shared;
    let count = Counter::default();
    let name: Option<Shared<str>> = None;
    step(number).await;
    *count.lock().unwrap() + name.map_or(0, |name| name.len() as u64)
}

fn main() {}
