//! Parts of a run that end early: dropped after a signal or a time limit, or ended by a condition.

use piton::prelude::*;
use serde::{Deserialize, Serialize};

use crate::activities::{echo, perform};
use crate::rig::Rig;

/// Ends the search.
#[derive(Signal, Serialize, Deserialize)]
struct Stop {
    by: String,
}

/// Puts an item into the basket.
#[derive(Update, Serialize, Deserialize)]
#[update(reply = usize)]
struct Put {
    item: String,
}

/// Stops a part of itself, with its operations, and continues.
#[workflow]
async fn search(cx: &Context) -> String {
    let found = select! {
        found = async {
            let (near, far) = join!(
                perform("hang"),
                async {
                    cx.sleep(seconds(1)).await;
                    perform("far away").await
                },
            );
            format!("{near:?} {far:?}")
        } => found,
        stop = cx.signal::<Stop>() => format!("stopped by {}", stop.by),
    };
    cx.sleep(hours(1)).await;
    echo(&found).await
}

/// Stops a child and continues.
#[workflow]
async fn search_by_child(cx: &Context) -> String {
    let child = cx.start_child(search()).id("child");
    let ended = select! {
        found = child.result() => format!("{found:?}"),
        stop = cx.signal::<Stop>() => {
            child.cancel(cx, "stopped");
            let ended = child.await;
            format!("stopped by {}: {}", stop.by, ended.is_err())
        }
    };
    echo(&ended).await
}

/// Waits until the basket is full, but not for long.
#[workflow]
async fn fill_basket(cx: &Context, size: usize) -> (bool, Vec<String>) {
    #[expose]
    let mut basket = Vec::new();
    let is_full = cx
        .timeout(hours(1), async {
            while basket.len() < size {
                let (Put { item }, answer) = cx.update::<Put>().await.into_parts();
                basket.push(item);
                answer.reply(basket.len());
            }
        })
        .await
        .is_ok();
    (is_full, basket)
}

fn put(item: &str) -> Put {
    Put { item: item.to_owned() }
}

#[tokio::test(start_paused = true)]
async fn a_part_is_dropped_with_its_operations() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(search()).await.unwrap();
    rig.until_begun("far away", &[1]).await;
    run.signal(Stop { by: "ada".to_owned() }).await.unwrap();
    rig.until(&run, |record| record.state == "sleep").await;
    // The activity of the stopped part is not attempted again.
    let begun = rig.lab.begun("hang").len();
    assert_eq!(run.result().await.unwrap(), "stopped by ada");
    assert_eq!(rig.lab.begun("hang").len(), begun);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_child_is_cancelled_and_its_parent_continues() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(search_by_child()).await.unwrap();
    rig.until_begun("hang", &[1]).await;
    run.signal(Stop { by: "ada".to_owned() }).await.unwrap();
    assert_eq!(run.result().await.unwrap(), "stopped by ada: true");
    let child = rig.client.by_id("child").status().await.unwrap();
    assert_eq!(child.status, piton::model::RunStatus::Cancelled);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_loop_of_updates_ends_when_its_condition_holds() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(fill_basket(2)).await.unwrap();
    assert_eq!(run.update(put("pen")).await.unwrap(), 1);
    let seen = rig.client.by_id(run.run_id()).variable("basket").await.unwrap();
    assert_eq!(seen, serde_json::json!(["pen"]));
    assert_eq!(run.update(put("ink")).await.unwrap(), 2);
    let full = ["pen", "ink"].map(str::to_owned).to_vec();
    assert_eq!(run.result().await.unwrap(), (true, full));
    let run = rig.client.start(fill_basket(2)).await.unwrap();
    assert_eq!(run.update(put("pen")).await.unwrap(), 1);
    assert_eq!(run.result().await.unwrap(), (false, vec!["pen".to_owned()]));
    worker.shutdown().await.unwrap();
}
