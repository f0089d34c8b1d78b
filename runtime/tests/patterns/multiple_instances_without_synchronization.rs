//! Pattern 12, *Multiple Instances without Synchronization*: several instances of an activity are begun, and nobody waits
//! for them.

use piton::prelude::*;

use crate::desk::{Desk, case};

#[workflow]
async fn fine(cx: &Context, notices: u64) {
    for number in 0..notices {
        let _ = cx
            .start_child(case(format!("notice {number}"), 10 + number))
            .on_parent_close(ParentClose::Abandon);
    }
}

#[tokio::test(start_paused = true)]
async fn the_case_ends_before_its_instances() {
    let desk = Desk::open().await;
    desk.client.start(fine(3)).await.unwrap().result().await.unwrap();
    assert!(desk.done().is_empty());
    desk.wait(20).await;
    assert_eq!(desk.begun_in_any_order(), ["notice 0", "notice 1", "notice 2"]);
    assert_eq!(desk.done().len(), 3);
    desk.close().await;
}
