//! A worker drains a backlog on both databases: the longest due run first, independent of its workflow and the order of
//! the starts, and not faster than the worker's claim rate.
//!
//! Without Postgres binaries the test on it is reported as ignored, or as failed if
//! `PITON_REQUIRE_POSTGRES=1`.

#![allow(missing_docs)]

use std::sync::{Arc, Mutex};
use std::time::Duration;

use libtest_mimic::{Arguments, Failed, Trial};
use piton::prelude::*;
use piton::store::{Clock, ManualClock, StoreOptions};
use piton_postgres_cluster::{run_tests, trial};
use tokio::time::Instant;

/// The number of runs that fall due.
const RUNS: u64 = 40;

/// Claims per second.
const RATE: u32 = 40;

/// How long no worker runs, by the clock of the database, which the test moves.
const OUTAGE: Duration = Duration::from_secs(3_600);

/// The runs that continued, in order, and when.
#[derive(Clone, Default)]
struct Record(Arc<Mutex<Vec<(u64, Instant)>>>);

impl Record {
    fn note(&self, number: u64) {
        self.0.lock().expect("nobody panics with it").push((number, Instant::now()));
    }

    fn take(&self) -> Vec<(u64, Instant)> {
        std::mem::take(&mut self.0.lock().expect("nobody panics with it"))
    }
}

#[activity]
async fn go_on(cx: &ActivityContext, number: u64) {
    cx.dependency::<Record>().note(number);
}

#[workflow]
async fn one_kind(cx: &Context, number: u64, wait: Duration) -> u64 {
    cx.sleep(wait).await;
    go_on(number).await;
    number
}

#[workflow]
async fn other_kind(cx: &Context, number: u64, wait: Duration) -> u64 {
    cx.sleep(wait).await;
    go_on(number).await;
    number
}

fn main() {
    run_tests(&Arguments::from_args(), "", |cluster| {
        let name = "a_backlog_is_drained_in_order_and_at_the_rate";
        let trials = vec![
            Trial::test(format!("sqlite::{name}"), || {
                let folder = tempfile::tempdir()?;
                let url = format!("sqlite:{}", folder.path().join("runs.db").display());
                run(async move { drain(&url).await })
            }),
            trial(format!("postgres::{name}"), cluster, |cluster| {
                run(async move { drain(&cluster.new_database().await?).await })
            }),
        ];
        trials
    })
}

fn run(test: impl Future<Output = Result<(), Failed>>) -> Result<(), Failed> {
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    runtime.worker_threads(2).enable_all().build()?.block_on(test)
}

async fn drain(url: &str) -> Result<(), Failed> {
    let clock = ManualClock::new(Timestamp::now());
    let options = StoreOptions::default().clock(Clock::Manual(Arc::clone(&clock)));
    let client = Client::new(options.connect(url).await?);
    let record = Record::default();
    let worker = || Worker::new(&client).provide(record.clone());
    let before = worker().park_after(Duration::ZERO).start().await?;
    let mut parked = Vec::new();
    for started in 0..RUNS {
        // Each number once, in no order.
        let number = started * 17 % RUNS;
        let wait = OUTAGE / 2 + Duration::from_secs(number);
        let run_id = match number % 2 {
            0 => client.start(one_kind(number, wait)).await?.run_id(),
            _ => client.start(other_kind(number, wait)).await?.run_id(),
        };
        parked.push(run_id);
    }
    for run_id in &parked {
        while client
            .find(*run_id)
            .await?
            .is_none_or(|run| run.owner.is_some() || run.due_at.is_none())
        {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
    before.shutdown().await?;
    assert_eq!(record.take(), []);
    clock.advance(OUTAGE);

    // Has room for one run at a time, so that runs are executed in the order of their claims.
    let began = Instant::now();
    let after = worker().max_claim_rate(RATE).max_runs(1).start().await?;
    for run_id in parked {
        while client.find(run_id).await?.is_none_or(|run| run.status.is_open()) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
    after.shutdown().await?;
    let went_on = record.take();
    let order: Vec<u64> = went_on.iter().map(|(number, _)| *number).collect();
    assert_eq!(order, (0..RUNS).collect::<Vec<_>>());
    for (before, (number, at)) in (0..).zip(went_on) {
        let soonest = Duration::from_secs(1) * before / RATE;
        assert!(at - began >= soonest, "run {number} went on after {:?}", at - began);
    }
    client.close().await;
    Ok(())
}
