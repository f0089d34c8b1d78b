//! Pattern 8, *Multi-Merge*: branches merge without synchronization, so the following activity runs once for each.

use piton::prelude::*;

use crate::desk::{Desk, entry, task};

#[workflow]
async fn inspection(_cx: &Context) {
    join!(
        async {
            task("audit", 2).await;
            task("report", 1).await;
        },
        async {
            task("survey", 5).await;
            task("report", 1).await;
        },
    );
}

#[tokio::test(start_paused = true)]
async fn the_next_activity_runs_for_each_branch() {
    let desk = Desk::open().await;
    desk.client.start(inspection()).await.unwrap().result().await.unwrap();
    let mut reports = desk.done();
    reports.retain(|(name, _, _)| name == "report");
    assert_eq!(reports, [entry("report", 2, 3), entry("report", 5, 6)]);
    desk.close().await;
}
