//! Updates to chains of runs.

use piton::error::UpdateError;
use piton::machine::Answer;
use piton::model::RunStatus;
use piton::prelude::*;
use serde::{Deserialize, Serialize};

use crate::rig::Rig;

/// Adds a number and requests the sum.
#[derive(Debug, Update, Serialize, Deserialize)]
#[update(reply = u32)]
struct Add {
    number: u32,
}

/// Lets the run continue.
#[derive(Signal, Serialize, Deserialize)]
struct Go {}

/// Takes an update in each run, answers it there or leaves it to the next run.
#[workflow]
async fn relay_sums(cx: &Context, sum: u32, owed: Vec<Answer<Add>>) -> u32 {
    cx.signal::<Go>().await;
    for answer in owed {
        answer.reply(sum);
    }
    let (Add { number }, answer) = cx.update::<Add>().await.into_parts();
    match number {
        0 => {
            answer.reply(sum);
            return sum;
        }
        // Drops the answer.
        13 => cx.continue_as_new(relay_sums(sum, Vec::new())),
        number if number > 100 => {
            answer.reply(sum + number);
            cx.continue_as_new(relay_sums(sum + number, Vec::new()))
        }
        number => cx.continue_as_new(relay_sums(sum + number, vec![answer])),
    }
}

/// Takes an update and fails, once.
#[workflow]
async fn fail_with_it(cx: &Context) -> Result<u32, String> {
    let add = cx.update::<Add>().await;
    cx.signal::<Go>().await;
    Err(format!("there is no room for {}", add.number))
}

fn add(number: u32) -> Add {
    Add { number }
}

#[tokio::test(start_paused = true)]
async fn a_request_among_the_arguments_is_answered_by_the_next_run() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(relay_sums(0, Vec::new())).id("sums").await.unwrap();
    let five = run.update(add(5)).id("five").accepted().await.unwrap();
    run.signal(Go {}).await.unwrap();
    rig.until(&run, |record| record.status == RunStatus::ContinuedAsNew).await;
    let shown = rig.client.inspect("sums").await.unwrap();
    assert_ne!(shown.run_id, run.run_id());
    assert_eq!(shown.unanswered, ["five"]);
    // The worker that answers is another one, and reads everything from the store.
    worker.shutdown().await.unwrap();
    let worker = rig.remote_worker().start().await.unwrap();
    rig.client.by_id("sums").signal("Go", &serde_json::json!({})).await.unwrap();
    assert_eq!(five.reply().await.unwrap(), 5);
    assert_eq!(rig.client.inspect("sums").await.unwrap().unanswered, [""; 0]);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_unread_request_is_answered_by_the_run_that_takes_it() {
    let rig = Rig::new();
    let run = rig.client.start(relay_sums(0, Vec::new())).await.unwrap();
    let first = run.update(add(101)).accepted().await.unwrap();
    let last = run.update(add(0)).accepted().await.unwrap();
    for _ in 0..2 {
        run.signal(Go {}).await.unwrap();
    }
    let worker = rig.worker().start().await.unwrap();
    assert_eq!(first.reply().await.unwrap(), 101);
    assert_eq!(last.reply().await.unwrap(), 101);
    assert_eq!(run.result().await.unwrap(), 101);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_request_that_is_not_handed_on_is_dropped() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(relay_sums(0, Vec::new())).await.unwrap();
    let sent = run.update(add(13)).accepted().await.unwrap();
    run.signal(Go {}).await.unwrap();
    let dropped = sent.reply().await.unwrap_err();
    assert!(matches!(dropped, UpdateError::Dropped { .. }), "{dropped:?}");
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_id_is_answered_once_in_a_chain() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(relay_sums(0, Vec::new())).id("sums").await.unwrap();
    let sent = run.update(add(101)).id("once").accepted().await.unwrap();
    run.signal(Go {}).await.unwrap();
    assert_eq!(sent.reply().await.unwrap(), 101);
    // The second sender finds the run that follows.
    let next = rig.client.by_id("sums").status().await.unwrap().run_id;
    assert_ne!(next, run.run_id());
    let next = rig.client.run::<relay_sums>(next).await.unwrap();
    assert_eq!(next.update(add(101)).id("once").await.unwrap(), 101);
    next.signal(Go {}).await.unwrap();
    assert_eq!(next.update(add(0)).await.unwrap(), 101);
    assert_eq!(next.result().await.unwrap(), 101);
    // Both get the answer after the last run has closed, too.
    assert_eq!(next.update(add(101)).id("once").await.unwrap(), 101);
    assert_eq!(run.update_by_id::<Add>("once").reply().await.unwrap(), 101);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_failed_run_drops_the_updates_that_it_has_taken() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let retry = RetryPolicy { max_attempts: 2, ..RetryPolicy::DEFAULT };
    let run = rig.client.start(fail_with_it()).retry(retry).await.unwrap();
    let taken = run.update(add(1)).accepted().await.unwrap();
    rig.until(&run, |record| record.state.contains("Go")).await;
    run.signal(Go {}).await.unwrap();
    let dropped = taken.reply().await.unwrap_err();
    assert!(matches!(dropped, UpdateError::Dropped { .. }), "{dropped:?}");
    worker.shutdown().await.unwrap();
}
