//! Pattern 3, *Synchronization*: several threads of control join into one, which continues when all have arrived.

use piton::prelude::*;

use crate::desk::{Desk, entry, task};

#[workflow]
async fn whole_order(_cx: &Context) {
    join!(task("ship", 5), task("bill", 3));
    task("archive", 1).await;
}

#[tokio::test(start_paused = true)]
async fn the_next_activity_waits_for_all_branches() {
    let desk = Desk::open().await;
    desk.client.start(whole_order()).await.unwrap().result().await.unwrap();
    assert_eq!(desk.done().last(), Some(&entry("archive", 5, 6)));
    desk.close().await;
}
