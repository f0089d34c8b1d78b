//! Pattern 19, *Cancel Activity*: an activity is cancelled, and the case continues.

use piton::prelude::*;
use serde::{Deserialize, Serialize};

use crate::desk::{Desk, entry, task};

#[derive(Signal, Serialize, Deserialize)]
struct Skip;

#[workflow]
async fn appraised_loan(cx: &Context) {
    select! {
        _ = task("appraise", 1_000) => {}
        _ = cx.signal::<Skip>() => {}
    }
    task("decide", 1).await;
}

#[tokio::test(start_paused = true)]
async fn the_activity_ends_and_the_case_continues() {
    let desk = Desk::open().await;
    let run = desk.client.start(appraised_loan()).await.unwrap();
    desk.wait(5).await;
    run.signal(Skip).await.unwrap();
    run.result().await.unwrap();
    desk.wait(2_000).await;
    assert_eq!(desk.begun(), ["appraise", "decide"]);
    assert_eq!(desk.done(), [entry("decide", 5, 6)]);
    desk.close().await;
}
