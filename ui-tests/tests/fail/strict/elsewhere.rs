use piton::prelude::*;

#[activity]
async fn step(number: u64) -> u64 {
    number
}

mod rules {
    pub(super) fn next(number: u64) -> u64 {
        number + 1
    }
}

#[workflow(strict)]
async fn run() {
    use rules::next;
    step(next(1) + rules::next(2)).await;
}

fn main() {}
