//! Pattern 14, *Multiple Instances with a Priori Run-Time Knowledge*: the number of instances is known before the first of
//! them begins, and what follows waits for all of them.

use piton::prelude::*;

use crate::desk::{Desk, entry, task};

#[workflow]
async fn diagnosis(_cx: &Context, tests: u64) -> usize {
    let mut called = Vec::new();
    for number in 0..tests {
        called.push(task("test", number + 1));
    }
    let results = join_all(called).await;
    task("assess", 1).await;
    results.len()
}

#[tokio::test(start_paused = true)]
async fn as_many_instances_are_done_as_the_case_needs() {
    for tests in [1, 4] {
        let desk = Desk::open().await;
        let run = desk.client.start(diagnosis(tests)).await.unwrap();
        assert_eq!(run.result().await.unwrap() as u64, tests);
        assert_eq!(desk.done().last(), Some(&entry("assess", tests, tests + 1)));
        desk.close().await;
    }
}
