//! Several worker processes on one SQLite file.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use piton::prelude::*;
use piton_crash_tests::gate::{Gate, gated};
use piton_crash_tests::ledger::{self, Call};
use piton_crash_tests::random::Random;
use piton_crash_tests::workload::{CALLS_PER_RUN, Proceed, Tally, tally};

use crate::file_audit::FileAudit;
use crate::member::Member;
use crate::scene::{pause_after, wait_until};

const LEASE: Duration = Duration::from_secs(15);

const WORKERS: u64 = 3;
const RUNS: u64 = 200;
const KILLS: u64 = 4;

/// As on Postgres: every run completes, every step is committed once, and every attempt is accounted for.
pub(crate) async fn random_kills_on_one_file_lose_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let url = format!("sqlite:{}", folder.path().join("runs.db").display());
    let client = Client::connect(&url).await.expect("a new file");
    let mut audit = FileAudit::install(&url).await;
    let mut random = Random::from_environment();
    let start = async || Member::start(&url, folder.path(), LEASE, &[]).await;
    let mut members = Vec::new();
    for _ in 0..WORKERS {
        members.push(start().await);
    }
    let mut results = tokio::task::JoinSet::new();
    for number in 0..RUNS {
        let client = client.clone();
        results.spawn(async move {
            let run = client.start(tally(number)).await.expect("it can be started");
            let signal = run.signal(Proceed { by: "the test".into() }).dedup_key("proceed");
            signal.await.expect("it can be sent");
            (number, run.result().await.expect("it completes"))
        });
    }
    let calls = || ledger::read(folder.path()).unwrap_or_default();
    let whole = RUNS * CALLS_PER_RUN as u64;
    let mut killed = Vec::new();
    for kill in 0..KILLS {
        let goal = (whole * kill + random.below(whole)) / KILLS;
        wait_until("the work has got on", async || calls().len() as u64 > goal).await;
        // Kill a worker that has made progress: one worker may have most of the runs.
        let calls = calls();
        let at_work: BTreeSet<u32> =
            calls.values().flat_map(|call| call.process_ids.values().copied()).collect();
        let at_work: Vec<usize> =
            (0..members.len()).filter(|place| at_work.contains(&members[*place].id())).collect();
        let victim = match at_work.len() {
            0 => random.below(WORKERS) as usize,
            count => at_work[random.below(count as u64) as usize],
        };
        killed.push(members.swap_remove(victim).kill().await);
        members.push(start().await);
    }
    while let Some(ended) = results.join_next().await {
        let (number, tally) = ended.expect("no panic");
        assert_eq!(tally, Tally::expected(number));
    }
    audit.check_steps(RUNS).await;
    let calls = ledger::read(folder.path()).expect("a readable ledger");
    assert_eq!(calls.len() as u64, whole);
    let interrupted: usize = calls.iter().map(|(key, call)| call.check(key, &killed)).sum();
    assert!(interrupted > 0, "nobody was killed at work");
    println!("{RUNS} runs on one file, {KILLS} kills, {interrupted} attempts were interrupted");
    for member in members {
        member.leave().await;
    }
}

/// Each of two workers in turn is killed while it holds all runs, and the other must continue them at once.
pub(crate) async fn runs_of_a_worker_killed_on_one_file_go_on_within_a_second() {
    const RUNS: u64 = 20;
    const KILLS: usize = 3;
    /// Longer than the test, so that no takeover is due to an expired lease.
    const LEASE: Duration = Duration::from_secs(600);
    let folder = tempfile::tempdir().expect("a folder");
    let url = format!("sqlite:{}", folder.path().join("runs.db").display());
    let client = Client::connect(&url).await.expect("a new file");
    let mut audit = FileAudit::install(&url).await;
    let start = async || Member::start(&url, folder.path(), LEASE, &[]).await;
    // The runs in whose last attempt this process waits at the gate.
    let held_by = |process_id: u32| {
        let calls = ledger::read(folder.path()).expect("a readable ledger");
        let last = |call: &Call| call.began.last().map(|attempt| call.process_ids[attempt]);
        calls.values().filter(|call| last(call) == Some(process_id)).count() as u64
    };
    let mut worker = start().await;
    let mut runs = Vec::new();
    for number in 0..RUNS {
        runs.push(client.start(gated(number)).await.expect("it can be started"));
    }
    wait_until("they are at the gate", async || held_by(worker.id()) == RUNS).await;
    let mut latencies = Vec::new();
    for before in 0..KILLS {
        let other = start().await;
        let killed_at = Instant::now();
        worker.kill().await;
        wait_until("the other goes on", async || held_by(other.id()) == RUNS).await;
        latencies.push(killed_at.elapsed().saturating_sub(pause_after(before)));
        worker = other;
    }
    Gate::new(folder.path()).open().expect("it can be written");
    for (number, run) in (0..).zip(runs) {
        assert_eq!(run.result().await.expect("it completes"), 2 * number + 1);
    }
    audit.check_steps(RUNS).await;
    worker.leave().await;
    latencies.sort_unstable();
    println!("on one file taken over after {latencies:?}");
    assert!(latencies[KILLS / 2] < Duration::from_secs(1), "{latencies:?}");
}

/// A worker whose disk is full keeps its results, and continues when there is space again.
pub(crate) async fn a_full_disk_is_waited_for() {
    /// The log holds some hundred and fifty pages then; it is longer than the file.
    const SPACE: u64 = 600_000;
    const RUNS: u64 = 100;
    let folder = tempfile::tempdir().expect("a folder");
    Gate::new(folder.path()).open().expect("it can be written");
    let url = format!("sqlite:{}", folder.path().join("runs.db").display());
    let client = Client::connect(&url).await.expect("a new file");
    let lease = Duration::from_secs(600);
    let worker = Member::start_without_space(&url, folder.path(), lease, SPACE).await;
    let mut runs = Vec::new();
    let log = || std::fs::metadata(folder.path().join("runs.db-wal")).map_or(0, |it| it.len());
    while log() < SPACE {
        let number = runs.len() as u64;
        runs.push(client.start(gated(number)).await.expect("there is space for others"));
    }
    for number in (runs.len() as u64..).take(RUNS as usize) {
        runs.push(client.start(gated(number)).await.expect("there is space for others"));
    }
    worker.give_space().await;
    for (number, run) in (0..).zip(&runs) {
        assert_eq!(run.result().await.expect("it completes"), 2 * number + 1);
    }
    for (key, call) in ledger::read(folder.path()).expect("a readable ledger") {
        assert_eq!(call.check(&key, &[]), 0, "{key}: {call:?}");
    }
    worker.leave().await;
}
