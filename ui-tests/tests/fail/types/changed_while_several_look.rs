//! Of borrows that look at the same, a step makes only one again, so rustc is told of each change all the same.

use piton::prelude::*;

#[activity]
async fn count(n: u64) -> u64 {
    n
}

#[workflow]
async fn looked_up_twice(mut list: Vec<u64>) -> u64 {
    let first = list.first();
    let last = list.last();
    count(1).await;
    list.push(1);
    count(2).await;
    first.unwrap_or(&0) + last.unwrap_or(&0)
}

#[workflow]
async fn looked_up_beside(mut lists: (Vec<u64>, Vec<u64>)) -> u64 {
    let first = lists.0.first();
    let last = lists.1.last();
    count(1).await;
    lists.1.push(1);
    count(2).await;
    first.unwrap_or(&0) + last.unwrap_or(&0)
}

#[workflow]
async fn a_part_and_all(mut lists: (Vec<u64>, Vec<u64>)) -> usize {
    let ours = &lists.0;
    let both = &lists;
    count(1).await;
    lists.1.push(1);
    count(2).await;
    ours.len() + both.1.len()
}

#[workflow]
async fn needed_for_longer(mut list: Vec<u64>) -> u64 {
    let first = list.first();
    let last = list.last();
    count(1).await;
    count(*first.unwrap_or(&0)).await;
    list.push(1);
    count(2).await;
    *last.unwrap_or(&0)
}

fn main() {}
