//! Pattern 17, *Interleaved Parallel Routing*: a set of activities runs in an order that is decided at run time, no two
//! at the same time.

use piton::prelude::*;
use serde::{Deserialize, Serialize};

use crate::desk::{Desk, entry, task};

#[derive(Signal, Serialize, Deserialize)]
struct Next(String);

#[workflow]
async fn recruit(cx: &Context) {
    let mut left = vec!["eyes".to_owned(), "hearing".to_owned(), "heart".to_owned()];
    while !left.is_empty() {
        let next = cx.signal::<Next>().await.0;
        if left.contains(&next) {
            left.retain(|name| *name != next);
            task(&next, 5).await;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn one_at_a_time_in_any_order() {
    let desk = Desk::open().await;
    let run = desk.client.start(recruit()).await.unwrap();
    for name in ["heart", "eyes", "heart", "hearing"] {
        run.signal(Next(name.to_owned())).await.unwrap();
    }
    run.result().await.unwrap();
    assert_eq!(desk.done(), [entry("heart", 0, 5), entry("eyes", 5, 10), entry("hearing", 10, 15)]);
    desk.close().await;
}
