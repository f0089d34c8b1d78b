//! Pattern 11, *Implicit Termination*: a case ends when no activity is left, without an explicit end.

use piton::prelude::*;

use crate::desk::{Desk, task};

#[workflow]
async fn errands(_cx: &Context) {
    join!(
        async {
            task("shop", 4).await;
        },
        async {
            task("clean", 2).await;
            task("cook", 3).await;
        },
    );
}

#[tokio::test(start_paused = true)]
async fn a_case_is_over_when_nothing_is_left() {
    let desk = Desk::open().await;
    let run = desk.client.start(errands()).await.unwrap();
    desk.wait(4).await;
    assert_eq!(run.status().await.unwrap().status, RunStatus::Running);
    run.result().await.unwrap();
    assert_eq!(run.status().await.unwrap().status, RunStatus::Completed);
    assert_eq!(desk.done().len(), 3);
    desk.close().await;
}
