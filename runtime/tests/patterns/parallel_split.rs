//! Pattern 2, *Parallel Split*: one thread of control splits into several, which run concurrently.

use piton::prelude::*;

use crate::desk::{Desk, entry, task};

#[workflow]
async fn new_order(_cx: &Context) {
    task("register", 1).await;
    join!(task("ship", 5), task("bill", 3));
}

#[tokio::test(start_paused = true)]
async fn the_branches_begin_together() {
    let desk = Desk::open().await;
    desk.client.start(new_order()).await.unwrap().result().await.unwrap();
    let mut done = desk.done();
    done.sort_unstable();
    assert_eq!(done, [entry("bill", 1, 4), entry("register", 0, 1), entry("ship", 1, 6)]);
    desk.close().await;
}
