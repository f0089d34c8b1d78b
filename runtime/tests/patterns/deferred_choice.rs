//! Pattern 16, *Deferred Choice*: the environment chooses one of several branches, by what happens first. The others are
//! withdrawn.

use piton::prelude::*;
use serde::{Deserialize, Serialize};

use crate::desk::{Desk, task};

#[derive(Signal, Serialize, Deserialize)]
struct Pickup;

#[derive(Signal, Serialize, Deserialize)]
struct Delivery;

#[workflow]
async fn parcel(cx: &Context) {
    select! {
        _ = cx.signal::<Pickup>() => task("hand out", 1).await,
        _ = cx.signal::<Delivery>() => task("deliver", 1).await,
        _ = cx.sleep(days(7)) => task("return", 1).await,
    };
}

#[tokio::test(start_paused = true)]
async fn the_first_event_decides() {
    for taken in ["hand out", "deliver", "return"] {
        let desk = Desk::open().await;
        let run = desk.client.start(parcel()).await.unwrap();
        desk.wait(60).await;
        match taken {
            "hand out" => run.signal(Pickup).await.unwrap(),
            "deliver" => run.signal(Delivery).await.unwrap(),
            _ => {}
        }
        run.result().await.unwrap();
        assert_eq!(desk.begun(), [taken]);
        desk.close().await;
    }
}
