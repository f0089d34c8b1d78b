//! Pattern 7, *Synchronizing Merge*: the activity after a multi-choice waits for exactly those branches that were
//! taken.

use piton::prelude::*;

use crate::desk::{Desk, entry, task};

#[workflow]
async fn emergency_call(_cx: &Context, police: bool, ambulance: bool) {
    join!(
        async {
            if police {
                task("police", 5).await;
            }
        },
        async {
            if ambulance {
                task("ambulance", 3).await;
            }
        },
    );
    task("transfer", 1).await;
}

#[tokio::test(start_paused = true)]
async fn the_next_activity_waits_for_the_taken_branches() {
    for (police, ambulance, transfer) in
        [(true, true, 5), (true, false, 5), (false, true, 3), (false, false, 0)]
    {
        let desk = Desk::open().await;
        let run = desk.client.start(emergency_call(police, ambulance)).await.unwrap();
        run.result().await.unwrap();
        assert_eq!(desk.done().last(), Some(&entry("transfer", transfer, transfer + 1)));
        desk.close().await;
    }
}
