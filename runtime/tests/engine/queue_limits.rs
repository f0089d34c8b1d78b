//! Time limits of activities on queues.

use std::time::Duration;

use piton::prelude::*;
use piton::store::Store;
use tokio::time::Instant;

use crate::queues::{is_empty, text, train};
use crate::rig::Rig;

#[tokio::test(start_paused = true)]
async fn an_activity_that_nobody_starts_in_time_times_out() {
    let rig = Rig::new();
    let owner = rig.worker().start().await.unwrap();
    let began = Instant::now();
    let run = rig.client.start(impatient(text("x"))).await.unwrap();
    let error = run.result().await.unwrap_err();
    assert!(error.to_string().contains("schedule_to_start"), "{error}");
    let seconds = began.elapsed().as_secs_f64();
    assert!((7.0..9.1).contains(&seconds), "at the sweep after 7 s: {seconds}");
    assert!(is_empty(&rig.store).await);
    owner.shutdown().await.unwrap();
}

#[workflow]
async fn impatient(what: String) -> Result<String, String> {
    let call = train(&what).schedule_to_start(seconds(7));
    call.await.map_err(|error| error.to_string())
}

#[workflow]
async fn limited(what: String, start: u64, all: u64) -> Result<String, String> {
    let call = train(&what).start_to_close(seconds(start)).schedule_to_close(seconds(all));
    call.await.map_err(|error| error.to_string())
}

#[tokio::test(start_paused = true)]
async fn attempts_that_take_too_long_are_tried_again() {
    let rig = Rig::new();
    let worker = rig.worker().queue("gpu").start().await.unwrap();
    let began = Instant::now();
    let run = rig.client.start(limited(text("hang"), 3, 1_000)).await.unwrap();
    let error = run.result().await.unwrap_err();
    assert!(error.to_string().contains("start_to_close"), "{error}");
    assert_eq!(rig.lab.begun("hang"), [1, 2, 3, 4]);
    let seconds = began.elapsed().as_secs_f64();
    assert!((19.0..19.2).contains(&seconds), "4 × 3 s and 1 + 2 + 4 s: {seconds}");
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn all_attempts_together_have_an_end() {
    let rig = Rig::new();
    let worker = rig.worker().queue("gpu").start().await.unwrap();
    let began = Instant::now();
    let run = rig.client.start(limited(text("hang"), 3, 6)).await.unwrap();
    let error = run.result().await.unwrap_err();
    assert!(error.to_string().contains("schedule_to_close"), "{error}");
    assert_eq!(rig.lab.begun("hang"), [1, 2]);
    assert!((6.0..6.1).contains(&began.elapsed().as_secs_f64()));
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn limits_hold_while_the_worker_is_paused() {
    let rig = Rig::new();
    let owner = rig.worker().start().await.unwrap();
    let run = rig.client.start(limited(text("hang"), 3, 1_000)).await.unwrap();
    rig.until_parked(&run).await;
    // A worker that claims and then says nothing, as one that hangs.
    let silent = rig.store.register_worker(piton::store::NewWorker {
        host: text("silent"),
        pid: 1,
        lease: Duration::from_secs(1_000),
    });
    let silent = silent.await.unwrap();
    let claim = piton::store::ClaimActivities {
        worker: silent,
        queues: &[("gpu", 1)],
        activities: &["train"],
    };
    assert_eq!(rig.store.claim_activities(claim).await.unwrap().activities.len(), 1);
    let server = rig.server("gpu").start().await.unwrap();
    rig.until_begun("hang", &[2]).await;
    rig.lab.open_gate();
    assert_eq!(run.result().await.unwrap(), "hang done");
    owner.shutdown().await.unwrap();
    server.shutdown().await.unwrap();
}
