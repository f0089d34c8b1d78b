//! Pattern 1, *Sequence*: an activity begins after another one has ended.

use piton::prelude::*;

use crate::desk::{Desk, entry, task};

#[workflow]
async fn claim(_cx: &Context) {
    task("check", 2).await;
    task("pay", 3).await;
}

#[tokio::test(start_paused = true)]
async fn one_activity_begins_after_the_other_has_ended() {
    let desk = Desk::open().await;
    desk.client.start(claim()).await.unwrap().result().await.unwrap();
    assert_eq!(desk.done(), [entry("check", 0, 2), entry("pay", 2, 5)]);
    desk.close().await;
}
