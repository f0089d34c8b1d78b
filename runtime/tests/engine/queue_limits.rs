//! Time limits of activities on queues.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use piton::error::StoreError;
use piton::model::Timestamp;
use piton::prelude::*;
use piton::store::ActivityKey;
use piton::store::contract::*;
use piton::store::memory::{Hook, Write};
use tokio::sync::Semaphore;
use tokio::time::Instant;

use crate::activities::{Lab, crunch};
use crate::queues::{is_empty, study, text, train, wide};
use crate::rig::Rig;
use crate::workflows::work;

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
    let worker = rig.worker().queue(wide("gpu")).start().await.unwrap();
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
    let worker = rig.worker().queue(wide("gpu")).start().await.unwrap();
    let began = Instant::now();
    let run = rig.client.start(limited(text("hang"), 3, 6)).await.unwrap();
    let error = run.result().await.unwrap_err();
    assert!(error.to_string().contains("schedule_to_close"), "{error}");
    assert_eq!(rig.lab.begun("hang"), [1, 2]);
    assert!((6.0..6.1).contains(&began.elapsed().as_secs_f64()));
    worker.shutdown().await.unwrap();
}

/// The heartbeat timeout applies as well.
#[workflow]
async fn silent(what: String) -> Result<String, String> {
    let call = train(&what).heartbeat(seconds(3)).retry(RetryPolicy::NEVER);
    call.await.map_err(|error| error.to_string())
}

/// The process that makes the attempt ends it, without a sweep.
#[tokio::test(start_paused = true)]
async fn limits_are_kept_to_the_millisecond() {
    let rig = Rig::new();
    let worker = rig.worker().poll_interval(hours(1)).queue(wide("gpu")).start().await.unwrap();
    let error = async |run: &str| {
        let began = Instant::now();
        let ended = match run {
            "all" => {
                rig.client.start(limited(text("hang"), 1_000, 6)).await.unwrap().result().await
            }
            _ => rig.client.start(silent(text("hang"))).await.unwrap().result().await,
        };
        (ended.unwrap_err().to_string(), began.elapsed().as_secs_f64())
    };
    for (run, limit, after) in [("all", "schedule_to_close", 6.0), ("silent", "heartbeat", 3.0)] {
        let (error, took) = error(run).await;
        assert!(error.contains(limit), "{error}");
        assert!((after..after + 0.01).contains(&took), "{limit}: {took}");
    }
    worker.shutdown().await.unwrap();
}

/// The limit of all attempts is in the row, so it applies when no worker serves the queue any more.
#[tokio::test(start_paused = true)]
async fn all_attempts_together_have_an_end_that_needs_no_worker_of_the_queue() {
    let rig = Rig::new();
    let owner = rig.worker().start().await.unwrap();
    let began = Instant::now();
    let run = rig.client.start(limited(text("x"), 3, 7)).await.unwrap();
    let ended = tokio::time::timeout(Duration::from_secs(600), run.result()).await;
    let error = ended.expect("in time").unwrap_err().to_string();
    assert!(error.contains("schedule_to_close"), "{error}");
    let seconds = began.elapsed().as_secs_f64();
    assert!((7.0..9.1).contains(&seconds), "at the sweep after 7 s: {seconds}");
    owner.shutdown().await.unwrap();
}

/// A worker that claims activities and then hangs.
async fn claim_in_silence(rig: &Rig, count: u32) {
    let silent = rig.store.register_worker(piton::store::NewWorker {
        host: text("silent"),
        pid: 1,
        lease: Duration::from_secs(1_000),
    });
    let claim = piton::store::ClaimActivities {
        worker: silent.await.unwrap(),
        queues: &[("gpu", count)],
        activities: &[("train", count)],
        limit: count,
    };
    let claimed = rig.store.claim_activities(claim).await.unwrap().activities;
    assert_eq!(claimed.len(), count as usize);
}

#[tokio::test(start_paused = true)]
async fn limits_hold_while_the_worker_is_paused() {
    let rig = Rig::new();
    let owner = rig.worker().start().await.unwrap();
    let run = rig.client.start(limited(text("hang"), 3, 1_000)).await.unwrap();
    rig.until_parked(&run).await;
    claim_in_silence(&rig, 1).await;
    let server = rig.server(wide("gpu")).start().await.unwrap();
    rig.until_begun("hang", &[2]).await;
    rig.lab.open_gate();
    assert_eq!(run.result().await.unwrap(), "hang done");
    owner.shutdown().await.unwrap();
    server.shutdown().await.unwrap();
}

#[workflow]
async fn overtaxed(what: String) -> Result<String, String> {
    let wait = Duration::from_secs(100);
    let policy = RetryPolicy { initial_interval: wait, jitter: 0.5, ..RetryPolicy::DEFAULT };
    let call = train(&what).start_to_close(seconds(3)).retry(policy);
    call.await.map_err(|error| error.to_string())
}

/// Also if no worker is making the expired attempts any more.
#[tokio::test(start_paused = true)]
async fn attempts_that_expire_together_are_not_tried_again_together() {
    let rig = Rig::new();
    rig.store.repeat_run_ids(7);
    let owner = rig.worker().start().await.unwrap();
    let mut keys = Vec::new();
    for _ in 0..8 {
        let run = rig.client.start(overtaxed(text("x"))).await.unwrap();
        rig.until_parked(&run).await;
        keys.push(ActivityKey { run_id: run.run_id(), handle: piton::model::Handle(0) });
    }
    claim_in_silence(&rig, 8).await;
    tokio::time::sleep(Duration::from_secs(6)).await;
    let mut due_at = Vec::new();
    for key in keys {
        let record = rig.store.find_activity(key).await.unwrap().expect("it is not over");
        due_at.push(record.due_at.expect("it waits"));
    }
    due_at.sort_unstable();
    let apart = due_at[7].saturating_since(due_at[0]);
    assert!((10..=50).contains(&apart.as_secs()), "{apart:?}");
    owner.shutdown().await.unwrap();
}

/// At most one at a time, on two queues.
#[activity(queue = "gpu", max_concurrent = 1)]
async fn calibrate(cx: &ActivityContext, what: &str) -> String {
    let lab = cx.dependency::<Lab>();
    lab.begin(cx, what);
    lab.pass_gate().await;
    what.to_owned()
}

#[workflow]
async fn calibrations(count: u32, queue: String) -> usize {
    let whats = (0..count).map(|number| format!("{queue} {number}"));
    join_all(whats.map(|what| calibrate(&what).queue(queue.clone()))).await.len()
}

/// The number of activities on queues that workers have claimed.
async fn claimed(rig: &Rig, run_id: piton::model::RunId, count: u64) -> usize {
    let mut claimed = 0;
    for handle in 0..count {
        let key = ActivityKey { run_id, handle: piton::model::Handle(handle) };
        let record = rig.store.find_activity(key).await.unwrap();
        claimed += usize::from(record.is_some_and(|record| record.worker.is_some()));
    }
    claimed
}

#[tokio::test(start_paused = true)]
async fn a_worker_claims_no_more_of_an_activity_than_it_attempts() {
    let rig = Rig::new();
    let owner = rig.worker().start().await.unwrap();
    let run = rig.client.start(calibrations(6, text("gpu"))).await.unwrap();
    let also = rig.client.start(calibrations(2, text("cpu"))).await.unwrap();
    rig.until_parked(&run).await;
    rig.until_parked(&also).await;
    let first = rig.server(wide("gpu")).queue(wide("cpu")).start().await.unwrap();
    let lab = rig.lab.clone();
    rig.until_true(|| lab.attempts() == 1).await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    let held = claimed(&rig, run.run_id(), 6).await + claimed(&rig, also.run_id(), 2).await;
    assert_eq!(held, 1, "the rest is for others");
    // Another worker makes its attempt at the same time, and the following ones are not delayed.
    let second = rig.server(wide("gpu")).start().await.unwrap();
    rig.until_true(|| lab.attempts() == 2).await;
    let behind = rig.client.start(study(text("another activity"))).await.unwrap();
    assert_eq!(behind.result().await.unwrap(), "another activity done");
    (0..8).for_each(|_| lab.open_gate());
    assert_eq!(run.result().await.unwrap(), 6);
    assert_eq!(also.result().await.unwrap(), 2);
    for worker in [owner, first, second] {
        worker.shutdown().await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn a_queue_without_work_takes_no_places_from_another() {
    let rig = Rig::new();
    let worker = rig
        .worker()
        .max_activities(1)
        .queue(wide("idle"))
        .queue(wide("gpu"))
        .start()
        .await
        .unwrap();
    let run = rig.client.start(study(text("x"))).await.unwrap();
    let ended = tokio::time::timeout(Duration::from_secs(60), run.result()).await;
    assert_eq!(ended.expect("in time").unwrap(), "x done");
    worker.shutdown().await.unwrap();
}

/// Delays the responses of claims that have returned activities.
pub struct LateClaims {
    gate: Semaphore,
    given: AtomicBool,
}

impl LateClaims {
    pub fn new() -> Arc<Self> {
        Arc::new(Self { gate: Semaphore::new(0), given: AtomicBool::new(false) })
    }

    pub fn have_given(&self) -> bool {
        self.given.load(Ordering::SeqCst)
    }

    pub fn let_through(&self) {
        self.gate.add_permits(Semaphore::MAX_PERMITS);
    }
}

#[async_trait::async_trait]
impl Hook for LateClaims {
    async fn after(&self, operation: &'static str) -> Result<(), StoreError> {
        if operation == "claim_activities" && self.have_given() {
            drop(self.gate.acquire().await);
        }
        Ok(())
    }

    fn wrote(&self, _: Timestamp, write: &Write<'_>) {
        if let Write::Attempted { .. } = write {
            self.given.store(true, Ordering::SeqCst);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_local_activity_does_not_take_the_place_of_what_is_being_claimed() {
    let rig = Rig::new();
    let worker = rig.worker().max_activities(1).queue(wide("gpu")).start().await.unwrap();
    let claims = LateClaims::new();
    rig.store.set_hook(claims.clone());
    let queued = rig.client.start(study(text("queued"))).await.unwrap();
    rig.until_true(|| claims.have_given()).await;
    let local = rig.client.start(work(text("hang"))).await.unwrap();
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(rig.lab.begun("hang"), [0_u32; 0]);
    claims.let_through();
    assert_eq!(queued.result().await.unwrap(), "queued done");
    rig.until_begun("hang", &[1]).await;
    rig.lab.open_gate();
    assert_eq!(local.result().await.unwrap(), "hang done");
    worker.shutdown().await.unwrap();
}

/// Blocks its thread like [`crunch`], as another activity.
#[activity(queue = "press", blocking)]
fn squeeze(cx: &ActivityContext, what: &str) -> u32 {
    crunch::call(cx, what)
}

#[workflow]
async fn pressings(count: u32) -> u32 {
    let crunched = join_all((0..count).map(|number| crunch(&number.to_string()).queue("press")));
    let squeezed = join_all((0..count).map(|number| squeeze(&number.to_string())));
    let (crunched, squeezed) = join!(crunched, squeezed);
    crunched.into_iter().chain(squeezed).sum()
}

/// Counts the attempts that claims return: of this claim, and the maximum.
#[derive(Default)]
struct ClaimsCounted {
    now: AtomicU32,
    most: AtomicU32,
}

#[async_trait::async_trait]
impl Hook for ClaimsCounted {
    async fn before(&self, operation: &'static str) -> Result<(), StoreError> {
        if operation == "claim_activities" {
            self.now.store(0, Ordering::SeqCst);
        }
        Ok(())
    }

    fn wrote(&self, _: Timestamp, write: &Write<'_>) {
        if let Write::Attempted { .. } = write {
            let now = self.now.fetch_add(1, Ordering::SeqCst) + 1;
            self.most.fetch_max(now, Ordering::SeqCst);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn blocking_activities_are_not_claimed_beyond_their_places() {
    let rig = Rig::new();
    let counted = Arc::new(ClaimsCounted::default());
    rig.store.set_hook(counted.clone());
    let worker = rig.worker().max_blocking(2).queue(wide("press")).start().await.unwrap();
    let run = rig.client.start(pressings(10)).await.unwrap();
    assert_eq!(run.result().await.unwrap(), 140);
    assert_eq!(counted.most.load(Ordering::SeqCst), 2);
    worker.shutdown().await.unwrap();
}
