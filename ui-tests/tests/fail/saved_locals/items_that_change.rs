use piton::prelude::*;
use std::collections::VecDeque;
use std::iter;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[workflow]
async fn of_a_queue(mut queue: VecDeque<u64>) -> usize {
    for number in iter::from_fn(|| queue.pop_front()) {
        if step(number).await > 3 {
            break;
        }
    }
    queue.len()
}

#[workflow]
async fn counted(numbers: Vec<u64>) -> u64 {
    let mut seen = 0;
    'all: for round in 0..3 {
        for number in numbers.iter().map(|number| {
            seen += 1;
            number + 1
        }) {
            if step(number).await == round {
                continue 'all;
            }
        }
    }
    seen
}

#[workflow]
async fn taken(mut names: Vec<String>) -> Vec<String> {
    for name in names.iter_mut().skip(1).map(std::mem::take) {
        if step(name.len() as u64).await > 3 {
            break;
        }
    }
    names
}

fn main() {}
