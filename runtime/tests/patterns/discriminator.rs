//! Pattern 9, *Discriminator*: the following activity runs once, when the first of several branches has ended. The
//! other branches continue and are ignored.

use piton::prelude::*;

use crate::desk::{Desk, case, entry, task};

#[workflow]
async fn search(cx: &Context) -> String {
    let start = |name: &str, seconds| {
        cx.start_child(case(name.to_owned(), seconds)).on_parent_close(ParentClose::Abandon)
    };
    let (near, far) = (start("near", 3), start("far", 7));
    let first = select! {
        found = near.result() => found.unwrap_or_default(),
        found = far.result() => found.unwrap_or_default(),
    };
    task("show", 1).await;
    first
}

#[tokio::test(start_paused = true)]
async fn the_first_branch_continues_and_the_others_are_ignored() {
    let desk = Desk::open().await;
    let run = desk.client.start(search()).await.unwrap();
    assert_eq!(run.result().await.unwrap(), "near");
    desk.wait(10).await;
    let mut done = desk.done();
    done.sort_unstable();
    assert_eq!(done, [entry("far", 0, 7), entry("near", 0, 3), entry("show", 3, 4)]);
    desk.close().await;
}
