use piton::prelude::*;

use self::rules::next;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

fn twice(number: u64) -> u64 {
    number * 2
}

mod rules {
    pub(super) fn next(number: u64) -> u64 {
        number + 1
    }
}

#[workflow(strict)]
async fn run(number: Option<u64>) -> Option<u64> {
    let by_pointer: fn(u64) -> u64 = twice;
    let number = number.map(twice).map(next).map(|number| twice(number));
    let list = vec![by_pointer(1), twice(2)];
    assert!(matches!(number, Some(number) if twice(number) > 2), "{}", list.len());
    Some(step(number?).await)
}

fn main() {}
