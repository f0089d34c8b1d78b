use piton::prelude::*;
use serde::{Deserialize, Serialize};

#[activity]
async fn step(number: u64) -> u64 {
    number
}

#[deterministic]
fn twice(number: u64) -> u64 {
    number * 2
}

mod rules {
    use piton::prelude::*;

    #[deterministic]
    pub(super) fn next(number: u64) -> u64 {
        number + 1
    }
}

#[derive(Serialize, Deserialize)]
struct Count(u64);

#[workflow]
async fn inner(number: u64) -> u64 {
    step(number).await
}

#[workflow(strict)]
async fn run(cx: &Context, numbers: Vec<u64>) -> Option<Count> {
    use rules::next;
    fn thrice(number: u64) -> u64 {
        number * 3
    }
    let add = |a: u64, b: u64| a + b;
    let first = twice(step(1).await) + next(2) + rules::next(3) + thrice(4) + add(5, 6);
    let all = join_all(numbers.into_iter().map(|number| step(number))).await;
    drop(inner(first));
    cx.sleep(seconds(1)).await;
    let rest = inner(std::cmp::max(first, all.len() as u64)).await;
    Some(Count(rest))
}
