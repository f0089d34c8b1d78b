//! Pattern 4, *Exclusive Choice*: one of several branches is taken, by a decision or by data.

use piton::prelude::*;

use crate::desk::{Desk, task};

#[workflow]
async fn loan(_cx: &Context, amount: u64) {
    if amount > 10_000 {
        task("review", 1).await;
    } else {
        task("grant", 1).await;
    }
}

#[tokio::test(start_paused = true)]
async fn one_branch_is_taken() {
    for (amount, taken) in [(10_000, "grant"), (10_001, "review")] {
        let desk = Desk::open().await;
        desk.client.start(loan(amount)).await.unwrap().result().await.unwrap();
        assert_eq!(desk.begun(), [taken]);
        desk.close().await;
    }
}
