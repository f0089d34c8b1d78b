//! Pattern 10, *Arbitrary Cycles*: activities are repeated in cycles that are entered and left at several places.

use piton::prelude::*;

use crate::desk::{Desk, task};

#[workflow]
async fn article(_cx: &Context) {
    let mut reviews = 0;
    let mut step = 0;
    loop {
        step = match step {
            0 => {
                task("draft", 1).await;
                1
            }
            1 => {
                task("review", 1).await;
                reviews += 1;
                // Back to the start, into the middle, or out.
                match reviews {
                    1 => 0,
                    2 => 2,
                    _ => return,
                }
            }
            _ => {
                task("correct", 1).await;
                1
            }
        };
    }
}

#[tokio::test(start_paused = true)]
async fn cycles_are_entered_and_left_where_they_should_be() {
    let desk = Desk::open().await;
    desk.client.start(article()).await.unwrap().result().await.unwrap();
    assert_eq!(desk.begun(), ["draft", "review", "draft", "review", "correct", "review"]);
    desk.close().await;
}
