//! Work lists: stacks, double-ended queues and heaps that awaits fill and empty.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

#[workflow]
async fn program(n: i64) -> Vec<i64> {
    let mut queue: VecDeque<i64> = list(n).await.into();
    let mut done = Vec::with_capacity(queue.len());
    let mut heap = BinaryHeap::new();
    while let Some(next) = queue.pop_front() {
        if flag(next).await && done.len() < 4 {
            queue.push_back(next / 2);
        }
        heap.push(Reverse(add(next, 1).await));
        done.push(next);
    }
    while let Some(Reverse(next)) = heap.pop() {
        if heap.peek().is_some_and(|Reverse(other)| *other == next) {
            continue;
        }
        done.push(act(next).await);
    }
    let mut tail = done.split_off(done.len() / 2);
    tail.retain(|item| item % 3 != 0);
    tail.sort_unstable_by_key(|item| Reverse(*item));
    tail.dedup();
    for item in tail.drain(..).take(3) {
        done.push(act(item).await);
    }
    let drained: Vec<i64> = done.drain(..done.len().min(2)).collect();
    for pair in done.chunks_exact(2).map(|pair| pair[0] + pair[1]) {
        note(act(pair).await);
    }
    for (a, b) in drained.iter().zip(done.iter().rev()) {
        note(add(*a, *b).await);
    }
    let last = done.last().copied();
    tick().await;
    done.extend(last);
    done.swap(0, 0);
    done
}
