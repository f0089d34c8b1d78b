//! Time limits of activities that the run's own worker attempts.

use std::time::Duration;

use piton::prelude::*;
use tokio::time::{Instant, timeout};

use crate::activities::{perform, slow};
use crate::rig::Rig;

/// Longer than anything here may take.
const PATIENCE: Duration = Duration::from_secs(600);

/// A call with these limits, in seconds: for the wait for a slot, for an attempt, for all attempts.
#[workflow]
async fn hurried(what: String, wait: u64, attempt: u64, all: u64) -> Result<String, String> {
    let call = perform(&what).schedule_to_start(seconds(wait)).start_to_close(seconds(attempt));
    call.schedule_to_close(seconds(all)).await.map_err(|error| error.to_string())
}

/// Occupies a slot for this time.
#[workflow]
async fn occupy(millis: u32) -> u32 {
    slow(millis).await
}

async fn ended(run: &RunHandle<hurried>) -> Result<String, String> {
    let ended = timeout(PATIENCE, run.result()).await.expect("a limit runs out");
    ended.map_err(|error| error.to_string())
}

#[tokio::test(start_paused = true)]
async fn an_attempt_that_gets_no_place_in_time_ends_the_activity() {
    let rig = Rig::new();
    let worker = rig.worker().max_activities(1).start().await.unwrap();
    rig.client.start(occupy(3_600_000)).await.unwrap();
    tokio::time::sleep(Duration::from_millis(1)).await;
    let began = Instant::now();
    let run = rig.client.start(hurried("x".into(), 5, 1_000, 1_000)).await.unwrap();
    let error = ended(&run).await.unwrap_err();
    assert!(error.contains("schedule_to_start"), "{error}");
    assert!((5.0..5.01).contains(&began.elapsed().as_secs_f64()), "{:?}", began.elapsed());
    assert_eq!(rig.lab.begun("x"), [0_u32; 0]);
    drop(worker);
}

/// The wait of each attempt counts separately, from its due time.
#[tokio::test(start_paused = true)]
async fn the_wait_for_a_place_is_that_of_one_attempt() {
    let rig = Rig::new();
    rig.lab.fail("flaky", 1);
    let worker = rig.worker().max_activities(1).start().await.unwrap();
    let began = Instant::now();
    let run = rig.client.start(hurried("flaky".into(), 5, 1_000, 1_000)).await.unwrap();
    rig.until_begun("flaky", &[1]).await;
    rig.client.start(occupy(3_600_000)).await.unwrap();
    let error = ended(&run).await.unwrap_err();
    assert!(error.contains("schedule_to_start"), "{error}");
    assert!((6.0..6.01).contains(&began.elapsed().as_secs_f64()), "{:?}", began.elapsed());
    assert_eq!(rig.lab.begun("flaky"), [1]);
    drop(worker);
}

#[tokio::test(start_paused = true)]
async fn the_wait_for_a_place_begins_anew_after_the_death_of_a_worker() {
    let rig = Rig::new();
    let doomed = rig.remote_worker().start().await.unwrap();
    let run = rig.client.start(hurried("hang".into(), 5, 1_000, 1_000)).await.unwrap();
    rig.until_begun("hang", &[1]).await;
    // Between two renewals, so that the end of the lease is known.
    tokio::time::sleep(Duration::from_millis(22_500)).await;
    drop(doomed);
    let worker = rig.worker().max_activities(1).start().await.unwrap();
    // Another activity occupies the slot during the takeover and for a while after it.
    rig.client.start(occupy(16_000)).await.unwrap();
    rig.until_begun("hang", &[1, 2]).await;
    rig.lab.open_gate();
    assert_eq!(ended(&run).await.unwrap(), "hang done");
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn all_attempts_together_have_an_end() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let began = Instant::now();
    let run = rig.client.start(hurried("hang".into(), 1_000, 3, 6)).await.unwrap();
    let error = ended(&run).await.unwrap_err();
    assert!(error.contains("schedule_to_close"), "{error}");
    assert!((6.0..6.01).contains(&began.elapsed().as_secs_f64()), "{:?}", began.elapsed());
    assert_eq!(rig.lab.begun("hang"), [1, 2]);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn nothing_is_attempted_after_that_end() {
    let rig = Rig::new();
    let doomed = rig.remote_worker().start().await.unwrap();
    let run = rig.client.start(hurried("hang".into(), 1_000, 1_000, 30)).await.unwrap();
    rig.until_begun("hang", &[1]).await;
    drop(doomed);
    tokio::time::sleep(Duration::from_secs(60)).await;
    let worker = rig.worker().start().await.unwrap();
    let error = ended(&run).await.unwrap_err();
    assert!(error.contains("schedule_to_close"), "{error}");
    assert_eq!(rig.lab.begun("hang"), [1]);
    worker.shutdown().await.unwrap();
}
