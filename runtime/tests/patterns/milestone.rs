//! Pattern 18, *Milestone*: an activity can be done only while the case is in a certain state.

use piton::prelude::*;
use serde::{Deserialize, Serialize};

use crate::desk::{Desk, task};

#[derive(Signal, Serialize, Deserialize)]
struct Change;

#[derive(Signal, Serialize, Deserialize)]
struct Ship;

/// Can be changed until it is shipped.
#[workflow]
async fn changeable_order(cx: &Context) {
    loop {
        select! {
            _ = cx.signal::<Change>() => {
                task("change", 1).await;
            }
            _ = cx.signal::<Ship>() => break,
        }
    }
    task("ship", 10).await;
}

#[tokio::test(start_paused = true)]
async fn activities_after_the_milestone_are_not_done() {
    let desk = Desk::open().await;
    let run = desk.client.start(changeable_order()).await.unwrap();
    run.signal(Change).await.unwrap();
    desk.wait(3).await;
    run.signal(Ship).await.unwrap();
    desk.wait(3).await;
    run.signal(Change).await.unwrap();
    run.result().await.unwrap();
    assert_eq!(desk.begun(), ["change", "ship"]);
    desk.close().await;
}
