//! Failures of the database, before or after a transition.

use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use piton::error::{LookupError, SignalError, StoreError};
use piton::filter::Filter;
use piton::model::{RunId, Timestamp};
use piton::prelude::*;
use piton::store::contract::*;
use piton::store::memory::{Hook, Write};
use tokio::time::Instant;

use crate::activities::Approve;
use crate::queues::study;
use crate::rig::{Rig, cut_off};
use crate::workflows::{chain, collect, fan_out, steadfast, work};

/// Fails the first `left` calls of one method.
pub struct Failing {
    operation: &'static str,
    left: AtomicU32,
    /// Whether the transition happens nevertheless.
    happens: bool,
}

impl Failing {
    pub fn new(operation: &'static str, times: u32, happens: bool) -> Arc<Self> {
        Arc::new(Self { operation, left: AtomicU32::new(times), happens })
    }

    fn fail(&self, operation: &'static str, happens: bool) -> Result<(), StoreError> {
        let is_meant = operation == self.operation && happens == self.happens;
        let one_less = |left: u32| left.checked_sub(1);
        if is_meant && self.left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, one_less).is_ok()
        {
            return Err(cut_off(operation));
        }
        Ok(())
    }
}

#[async_trait::async_trait]
impl Hook for Failing {
    async fn before(&self, operation: &'static str) -> Result<(), StoreError> {
        self.fail(operation, false)
    }

    async fn after(&self, operation: &'static str) -> Result<(), StoreError> {
        self.fail(operation, true)
    }
}

/// Fails every method that a run uses, before and after the transition.
#[tokio::test(start_paused = true)]
async fn a_run_survives_failures_of_every_method() {
    for operation in [
        "start_runs",
        "claim_runs",
        "commit_steps",
        "find_run",
        "find_endings",
        "review_runs",
        "fence_expired_workers",
        "renew_lease",
    ] {
        for happens in [false, true] {
            let rig = Rig::new();
            let worker = rig.worker().start().await.unwrap();
            rig.store.set_hook(Failing::new(operation, 3, happens));
            let run = rig.client.start(chain(10)).await.unwrap();
            let result = loop {
                match run.result().await {
                    Err(piton::error::RunError::Store(_)) => {}
                    other => break other,
                }
            };
            assert_eq!(result.unwrap(), 45, "{operation} failed, happens: {happens}");
            let counts = rig.store.counts();
            // A repeated start finds its run, and no attempt is skipped.
            assert_eq!((counts.run_inserts, counts.step_updates), (1, 10), "{operation}");
            worker.shutdown().await.unwrap();
        }
    }
}

/// Fails the last calls of a worker, whose connection may have broken since it was last used.
#[tokio::test(start_paused = true)]
async fn a_shutdown_survives_failures() {
    for operation in ["fence_workers", "release_worker"] {
        for happens in [false, true] {
            let rig = Rig::new();
            let worker = rig.worker().shutdown_grace(Duration::from_millis(1)).start();
            let worker = worker.await.unwrap();
            let run = rig.client.start(steadfast(3_600_000)).await.unwrap();
            rig.until(&run, |record| record.owner.is_some()).await;
            rig.store.set_hook(Failing::new(operation, 3, happens));
            let ended = worker.shutdown().await;
            ended.unwrap_or_else(|error| panic!("{operation}, happens: {happens}: {error:?}"));
            assert_eq!(run.status().await.unwrap().owner, None, "{operation}");
            assert!(rig.store.list_workers().await.unwrap().is_empty(), "{operation}");
        }
    }
}

/// A slow database.
struct Slow(&'static str);

#[async_trait::async_trait]
impl Hook for Slow {
    async fn after(&self, operation: &'static str) -> Result<(), StoreError> {
        if operation == self.0 {
            tokio::time::sleep(Duration::from_secs(10)).await;
        }
        Ok(())
    }
}

/// A released lease is not a lost one, although a renewal would report it as lost.
#[tokio::test(start_paused = true)]
async fn a_shutdown_survives_a_late_renewal() {
    for operation in ["fence_workers", "release_worker"] {
        let rig = Rig::new();
        let worker = rig.worker().shutdown_grace(Duration::from_millis(1)).start().await.unwrap();
        let run = rig.client.start(steadfast(3_600_000)).await.unwrap();
        rig.until(&run, |record| record.owner.is_some()).await;
        rig.store.set_hook(Arc::new(Slow(operation)));
        worker.shutdown().await.unwrap_or_else(|error| panic!("{operation}: {error:?}"));
        assert_eq!(run.status().await.unwrap().owner, None, "{operation}");
    }
}

/// A database that stays unavailable does not block the worker forever.
#[tokio::test(start_paused = true)]
async fn a_worker_whose_commits_take_longer_than_its_lease_keeps_it() {
    let rig = Rig::new();
    let worker = rig.worker().lease(Duration::from_secs(3)).start().await.unwrap();
    let owner = rig.store.list_workers().await.unwrap()[0].0;
    rig.store.set_hook(Arc::new(Slow("commit_steps")));
    let runs =
        [rig.client.start(chain(3)).await.unwrap(), rig.client.start(chain(3)).await.unwrap()];
    for run in &runs {
        assert_eq!(run.result().await.unwrap(), 3);
    }
    assert_eq!(rig.store.list_workers().await.unwrap()[0].0, owner);
    assert_eq!(rig.store.counts().step_updates, 2 * 3);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_shutdown_without_a_database_ends_with_an_error() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    rig.store.set_hook(Failing::new("release_worker", u32::MAX, false));
    let asked = Instant::now();
    worker.shutdown().await.unwrap_err();
    assert!(asked.elapsed() < Duration::from_secs(10), "{:?}", asked.elapsed());
}

#[tokio::test(start_paused = true)]
async fn reads_wait_while_the_database_is_away() {
    let rig = Rig::new();
    let run = rig.client.start(collect(1)).id("there").await.unwrap();
    let go_away = || rig.store.set_hook(Away::for_a_restart());
    let client = rig.client.clone();
    go_away();
    let found = tokio::spawn(async move { client.find("there").await }).await.unwrap();
    assert_eq!(found.unwrap().map(|run| run.run_id), Some(run.run_id()));
    go_away();
    assert_eq!(rig.client.run::<collect>("there").await.unwrap().run_id(), run.run_id());
    go_away();
    assert_eq!(run.status().await.unwrap().run_id, run.run_id());
    go_away();
    assert_eq!(rig.client.list_runs(Filter::all()).limit(10).await.unwrap().runs.len(), 1);
    go_away();
    assert_eq!(rig.client.count(Filter::all()).await.unwrap(), 1);
    let later = rig.client.start(collect(1));
    go_away();
    let later = later.start_delay(Duration::from_secs(60)).await.unwrap();
    assert!(later.status().await.unwrap().due_at > run.status().await.unwrap().due_at);
    // But not forever.
    rig.store.set_hook(Failing::new("find_run", u32::MAX, false));
    let asked = Instant::now();
    rig.client.find("there").await.unwrap_err();
    assert!((4..8).contains(&asked.elapsed().as_secs()), "{:?}", asked.elapsed());
}

/// A call that is repeated after a failure, before or after its effect, returns the same result.
#[tokio::test(start_paused = true)]
async fn terminate_and_unblock_return_after_failures() {
    for happens in [false, true] {
        let rig = Rig::new();
        let worker = rig.worker().start().await.unwrap();
        let run = rig.client.start(collect(1)).await.unwrap();
        rig.until_parked(&run).await;
        let whole = rig.spoil(&run);
        run.signal(Approve { by: "ada".into() }).await.unwrap();
        rig.until_blocked(&run).await;
        rig.store.overwrite_snapshot(run.run_id(), whole);
        rig.store.set_hook(Failing::new("unblock_runs", 3, happens));
        rig.client.unblock(run.run_id()).await.unwrap();
        assert_eq!(run.result().await.unwrap(), ["ada"]);
        rig.client.unblock(run.run_id()).await.unwrap();
        let unknown = rig.client.unblock(RunId::new()).await.unwrap_err();
        assert!(matches!(unknown, LookupError::Unknown(_)), "{unknown}");

        let run = rig.client.start(collect(1)).await.unwrap();
        rig.store.set_hook(Failing::new("terminate_run", 3, happens));
        assert!(run.terminate("enough").await.unwrap());
        let ended = run.result().await.unwrap_err();
        assert_eq!(ended.to_string(), "the run was terminated: enough", "happens: {happens}");
        worker.shutdown().await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn results_saved_twice_count_once() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    rig.store.set_hook(Failing::new("deliver", 5, true));
    let run = rig.client.start(fan_out(20)).await.unwrap();
    assert_eq!(run.result().await.unwrap(), 190);
    worker.shutdown().await.unwrap();
}

/// A database that refuses the values of the first calls of one method.
struct Refusing(&'static str, AtomicU32);

#[async_trait::async_trait]
impl Hook for Refusing {
    async fn before(&self, operation: &'static str) -> Result<(), StoreError> {
        let one_less = |left: u32| left.checked_sub(1);
        let is_meant = operation == self.0
            && self.1.fetch_update(Ordering::SeqCst, Ordering::SeqCst, one_less).is_ok();
        match is_meant {
            true => {
                let source = "it is too long".into();
                Err(StoreError::Unstorable { operation, source })
            }
            false => Ok(()),
        }
    }
}

/// The database would refuse the value again, so the attempt counts as interrupted.
#[tokio::test(start_paused = true)]
async fn a_result_that_cannot_be_kept_blocks_its_run() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    // First all together, then one by one.
    rig.store.set_hook(Arc::new(Refusing("deliver", AtomicU32::new(2))));
    let run = rig.client.start(fan_out(20)).await.unwrap();
    let record = rig.until_blocked(&run).await;
    let reason = record.blocked.expect("it is blocked").to_string();
    assert!(reason.contains("it is too long"), "{reason}");
    rig.client.unblock(run.run_id()).await.unwrap();
    assert_eq!(run.result().await.unwrap(), 190);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_signal_is_sent_again_only_if_that_is_safe() {
    let rig = Rig::new();
    let run = rig.client.start(collect(2)).await.unwrap();
    rig.store.set_hook(Failing::new("deliver", 1, true));
    let error = run.signal(Approve { by: "keyless".into() }).await.unwrap_err();
    assert!(matches!(error, SignalError::Store(_)), "it may have arrived: {error}");
    rig.store.set_hook(Failing::new("deliver", 3, true));
    run.signal(Approve { by: "keyed".into() }).dedup_key("key").await.unwrap();
    let worker = rig.worker().start().await.unwrap();
    assert_eq!(run.result().await.unwrap(), ["keyless", "keyed"]);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_worker_outlives_a_database_that_is_away_for_longer_than_the_lease() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(crate::workflows::naps(100, 1_000)).await.unwrap();
    rig.until(&run, |record| record.step_no.0 >= 3).await;
    rig.store.set_hook(Arc::new(Away { until: Instant::now() + AWAY }));
    tokio::time::sleep(AWAY).await;
    assert_eq!(run.result().await.unwrap(), 100);
    worker.shutdown().await.unwrap();
}

const AWAY: Duration = Duration::from_secs(40);

/// A database that is unreachable for a while.
pub struct Away {
    until: Instant,
}

impl Away {
    /// Unreachable from now on for the time of a server's restart.
    pub fn for_a_restart() -> Arc<Self> {
        Arc::new(Self { until: Instant::now() + Duration::from_secs(3) })
    }
}

#[async_trait::async_trait]
impl Hook for Away {
    async fn before(&self, operation: &'static str) -> Result<(), StoreError> {
        if Instant::now() < self.until {
            let source = io::Error::from(io::ErrorKind::ConnectionRefused).into();
            return Err(StoreError::Database { operation, retryable: true, source });
        }
        Ok(())
    }
}

/// Records the failed calls of each method.
struct Asked {
    away: Away,
    at: Mutex<BTreeMap<&'static str, Vec<Instant>>>,
}

#[async_trait::async_trait]
impl Hook for Asked {
    async fn before(&self, operation: &'static str) -> Result<(), StoreError> {
        self.away.before(operation).await.inspect_err(|_| {
            self.at.lock().unwrap().entry(operation).or_default().push(Instant::now());
        })
    }
}

/// A worker retries each call after at most a second, but not much more often.
#[tokio::test(start_paused = true)]
async fn retries_while_the_database_is_away_are_paced() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(crate::workflows::naps(100, 1_000)).await.unwrap();
    rig.until(&run, |record| record.step_no.0 >= 3).await;
    let (began, until) = (Instant::now(), Instant::now() + AWAY);
    let asked = Arc::new(Asked { away: Away { until }, at: Mutex::default() });
    rig.store.set_hook(asked.clone());
    assert_eq!(run.result().await.unwrap(), 100);
    worker.shutdown().await.unwrap();
    let asked = asked.at.lock().unwrap();
    let within = |operation: &str, from: Instant, to: Instant| {
        let at = asked[operation].iter().copied();
        let at: Vec<_> = at.filter(|at| (from..to).contains(at)).chain([to]).collect();
        let longest = at.windows(2).map(|pair| pair[1] - pair[0]).max();
        let first = at[0] - from;
        assert!(first <= Duration::from_secs(5), "{operation}: first after {first:?}");
        assert!(longest <= Some(Duration::from_secs(1)), "{operation}: {longest:?}");
    };
    // The worker gives up its lease a tenth before the end of its 15 s, counted from the last renewal.
    within("commit_steps", began + seconds(2), began + seconds(8));
    within("renew_lease", began + seconds(5), began + seconds(8));
    within("register_worker", began + seconds(16), until);
    for (operation, at) in &*asked {
        // The worker looks for dead workers every 300 ms, even if the last look failed.
        assert!(at.len() <= 140, "{operation} was asked for {} times in {AWAY:?}", at.len());
    }
}

/// Records what commits consume, and hides from the caller that the first deliveries have happened.
struct UsedUp {
    deliveries: Arc<Failing>,
    consumed: Mutex<Vec<Vec<i64>>>,
}

#[async_trait::async_trait]
impl Hook for UsedUp {
    async fn after(&self, operation: &'static str) -> Result<(), StoreError> {
        self.deliveries.after(operation).await
    }

    fn wrote(&self, _: Timestamp, write: &Write<'_>) {
        if let Write::Committed { step, .. } = write {
            self.consumed.lock().unwrap().push(step.consumed.clone());
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_commit_names_each_arrival_once() {
    let rig = Rig::new();
    let deliveries = Failing::new("deliver", 1, true);
    let used_up = Arc::new(UsedUp { deliveries, consumed: Mutex::default() });
    rig.store.set_hook(used_up.clone());
    rig.lab.fail("flaky", 1);
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(work("flaky".to_owned())).await.unwrap();
    assert_eq!(run.result().await.unwrap(), "flaky done");
    // The failed attempt was saved twice, because the first response was lost.
    assert_eq!(*used_up.consumed.lock().unwrap(), [vec![1, 2]]);
    worker.shutdown().await.unwrap();
}

/// The database would refuse it each time.
#[tokio::test(start_paused = true)]
async fn a_result_on_a_queue_that_the_database_does_not_keep_fails_the_run() {
    let rig = Rig::new();
    let worker = rig.worker().queue("gpu").start().await.unwrap();
    rig.store.set_hook(Arc::new(Refusing("finish_activities", AtomicU32::new(1))));
    let run = rig.client.start(study("model".to_owned())).await.unwrap();
    let failed = tokio::time::timeout(minutes(1), run.result()).await.expect("it ends");
    let why = failed.unwrap_err().to_string();
    assert!(why.contains("train") && why.contains("too long"), "{why}");
    assert_eq!(rig.lab.begun("model"), [1]);
    worker.shutdown().await.unwrap();
}
