//! Pattern 5, *Simple Merge*: alternative branches merge without waiting for each other.

use piton::prelude::*;

use crate::desk::{Desk, task};

#[workflow]
async fn paid_order(_cx: &Context, by_card: bool) {
    match by_card {
        true => task("charge the card", 1).await,
        false => task("await the transfer", 3).await,
    };
    task("ship", 1).await;
}

#[tokio::test(start_paused = true)]
async fn either_branch_leads_to_the_same_activity() {
    for (by_card, paid) in [(true, "charge the card"), (false, "await the transfer")] {
        let desk = Desk::open().await;
        desk.client.start(paid_order(by_card)).await.unwrap().result().await.unwrap();
        assert_eq!(desk.begun(), [paid, "ship"]);
        desk.close().await;
    }
}
