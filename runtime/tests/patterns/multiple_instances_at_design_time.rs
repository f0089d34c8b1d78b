//! Pattern 13, *Multiple Instances with a Priori Design-Time Knowledge*: the number of instances is written in the workflow,
//! and what follows waits for all of them.

use piton::prelude::*;

use crate::desk::{Desk, entry, task};

#[workflow]
async fn report(_cx: &Context) {
    join!(task("signature", 2), task("signature", 2), task("signature", 2));
    task("publish", 1).await;
}

#[tokio::test(start_paused = true)]
async fn as_many_instances_are_done_as_are_written_down() {
    let desk = Desk::open().await;
    desk.client.start(report()).await.unwrap().result().await.unwrap();
    assert_eq!(desk.begun(), ["signature", "signature", "signature", "publish"]);
    assert_eq!(desk.done().last(), Some(&entry("publish", 2, 3)));
    desk.close().await;
}
