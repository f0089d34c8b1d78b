//! Each due time starts one run, with any number of workers and any failures.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use piton::client::LogKind;
use piton::client::Overlap;
use piton::error::StoreError;
use piton::prelude::*;
use piton::schedule::Spec;
use piton::store::memory::Hook;
use tokio::sync::Notify;

use crate::{ALL, Rig, job, tens};

/// Fails calls of a worker's rounds, some before and some after their effect.
#[derive(Debug, Default)]
struct Flaky {
    calls: AtomicU32,
    failed: AtomicU32,
}

impl Flaky {
    fn judge(&self, operation: &'static str, residue: u32) -> Result<(), StoreError> {
        let is_meant = ["claim_schedules", "save_schedules", "start_runs", "find_last_runs"];
        if !is_meant.contains(&operation) {
            return Ok(());
        }
        // Knuth's multiplicative hash, so that the failing calls do not follow the rhythm of the rounds.
        let call = self.calls.fetch_add(1, Ordering::Relaxed).wrapping_mul(2_654_435_761);
        if (call >> 16) % 10 != residue {
            return Ok(());
        }
        self.failed.fetch_add(1, Ordering::Relaxed);
        let source = io::Error::from(io::ErrorKind::ConnectionReset).into();
        Err(StoreError::Database { operation, retryable: true, source })
    }
}

#[async_trait::async_trait]
impl Hook for Flaky {
    async fn before(&self, operation: &'static str) -> Result<(), StoreError> {
        self.judge(operation, 1)
    }

    async fn after(&self, operation: &'static str) -> Result<(), StoreError> {
        self.judge(operation, 3)
    }
}

#[tokio::test(start_paused = true)]
async fn calls_that_fail_before_or_after_their_effect_lose_and_double_nothing() {
    let rig = Rig::new();
    let connection = rig.store.connect();
    let hook = Arc::new(Flaky::default());
    connection.set_hook(hook.clone());
    let worker = Worker::new(&Client::new(connection)).start().await.unwrap();
    let schedule = rig.client.schedule("job");
    let create = schedule.create(tens(600), job(1)).overlap(ALL);
    create.catch_up_window(Duration::from_secs(600)).await.unwrap();
    rig.pass(1_000).await;
    let expected: Vec<i64> = (1..=60).map(|tick| tick * 10).collect();
    assert_eq!(rig.nominal().await, expected);
    assert_eq!(schedule.describe().await.unwrap().counts.started, 60);
    assert!(hook.failed.load(Ordering::Relaxed) > 20, "{hook:?}");
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn several_workers_start_each_run_once() {
    let rig = Rig::new();
    let mut workers = Vec::new();
    for _ in 0..3 {
        workers.push(Worker::new(&Client::new(rig.store.connect())).start().await.unwrap());
    }
    for number in 0..20 {
        let schedule = rig.client.schedule(format!("job{number}"));
        schedule.create(tens(100), job(12)).overlap(Overlap::BufferAll).await.unwrap();
    }
    rig.pass(400).await;
    let runs = rig.runs().await;
    assert_eq!(runs.len(), 20 * 10);
    for number in 0..20 {
        let schedule = rig.client.schedule(format!("job{number}"));
        let described = schedule.describe().await.unwrap();
        assert_eq!(described.counts.started, 10);
    }
    for worker in workers {
        worker.shutdown().await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn a_clock_that_is_set_back_starts_nothing_again() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    rig.client.schedule("job").create(tens(100), job(1)).overlap(ALL).await.unwrap();
    rig.pass(35).await;
    rig.store.move_clock(-20_000_000);
    rig.pass(60).await;
    rig.store.move_clock(15_000_000);
    rig.pass(60).await;
    assert_eq!(rig.nominal().await, [10, 20, 30, 40, 50, 60, 70, 80, 90, 100]);
    worker.shutdown().await.unwrap();
}

/// Workers die and start, and calls fail before and after their effect, all at random.
#[tokio::test(start_paused = true)]
async fn workers_that_die_at_any_moment_lose_and_double_nothing() {
    let mut failed = 0;
    for seed in 0..8 {
        let rig = Rig::new();
        let create = rig.client.schedule("job").create(tens(300), job(3)).overlap(ALL);
        create.catch_up_window(Duration::from_secs(600)).await.unwrap();
        for life in 0..12 {
            let hook = Arc::new(Flaky::default());
            hook.calls.store(seed * 1_000 + life * 37, Ordering::Relaxed);
            let connection = rig.store.connect();
            connection.set_hook(hook.clone());
            let worker = Worker::new(&Client::new(connection.clone())).start().await.unwrap();
            tokio::time::sleep(Duration::from_millis(u64::from(20_000 + seed * 731 + life * 977)))
                .await;
            connection.disconnect();
            drop(worker);
            failed += hook.failed.load(Ordering::Relaxed);
        }
        let worker = rig.worker().start().await.unwrap();
        rig.pass(120).await;
        let expected: Vec<i64> = (1..=30).map(|tick| tick * 10).collect();
        assert_eq!(rig.nominal().await, expected, "seed {seed}");
        let counts = rig.client.schedule("job").describe().await.unwrap().counts;
        assert_eq!((counts.started, counts.missed, counts.refused), (30, 0, 0), "seed {seed}");
        worker.shutdown().await.unwrap();
    }
    assert!(failed > 50, "{failed} calls failed");
}

/// Delays the start of runs until it is released.
#[derive(Debug, Default)]
struct Held {
    reached: Notify,
    let_go: Notify,
}

#[async_trait::async_trait]
impl Hook for Held {
    async fn before(&self, operation: &'static str) -> Result<(), StoreError> {
        if operation == "start_runs" {
            self.reached.notify_one();
            self.let_go.notified().await;
        }
        Ok(())
    }
}

/// Pauses the schedule, or gives it another spec, while a worker is about to start a run. Another worker makes rounds
/// before and after the run exists.
async fn records_a_run_that_begins_late(pauses: bool) {
    let rig = Rig::new();
    let connection = rig.store.connect();
    let hook = Arc::new(Held::default());
    connection.set_hook(hook.clone());
    let worker = Worker::new(&Client::new(connection)).start().await.unwrap();
    let schedule = rig.client.schedule("job");
    schedule.create(tens(600), job(1)).max_actions(5).await.unwrap();
    hook.reached.notified().await;
    match pauses {
        true => schedule.pause("not now").await.unwrap(),
        false => schedule.update().spec(Spec::new().cron("0 0 1 1 *")).await.unwrap(),
    }
    let other = rig.worker().start().await.unwrap();
    rig.pass(7).await;
    assert_eq!(rig.nominal().await, [] as [i64; 0]);
    hook.let_go.notify_one();
    rig.pass(10).await;
    assert_eq!(rig.nominal().await, [10]);
    let described = schedule.describe().await.unwrap();
    assert_eq!((described.counts.started, described.remaining_actions), (1, Some(4)));
    let log = schedule.log(None, 10).await.unwrap();
    let started = log.iter().filter(|entry| matches!(entry.what, LogKind::Started { .. }));
    assert_eq!(started.count(), 1, "{log:?}");
    // The run has closed by now, and no time is in doubt any more.
    rig.pass(300).await;
    let described = schedule.describe().await.unwrap();
    assert_eq!((described.running.len(), described.counts.started), (0, 1));
    worker.shutdown().await.unwrap();
    other.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_schedule_paused_during_a_start_records_the_run() {
    records_a_run_that_begins_late(true).await;
}

#[tokio::test(start_paused = true)]
async fn a_schedule_changed_during_a_start_records_the_run() {
    records_a_run_that_begins_late(false).await;
}
