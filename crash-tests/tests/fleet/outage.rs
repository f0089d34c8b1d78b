//! Servers that restart, stay away, or stop answering.

use std::time::Duration;

use piton::prelude::*;
use piton::store::StoreOptions;
use piton_crash_tests::gate::{Gate, gated};
use piton_crash_tests::ledger;
use piton_crash_tests::workload::{Proceed, Tally, tally};

use crate::member::Member;
use crate::proxy::Proxy;
use crate::scene::{Scene, wait_until};

const RUNS: u64 = 100;

/// The length of the last outage: longer than the lease, so that every worker loses its runs and must register again,
/// and longer than a client retries a call.
const AWAY: Duration = Duration::from_secs(7);

const OUTAGES: [Duration; 3] = [Duration::ZERO, Duration::ZERO, AWAY];

const LEASE: Duration = Duration::from_secs(3);

/// Two crashes of the server during the work, and an outage that is longer than a lease. The workers and the clients
/// that wait for results are not restarted.
pub(crate) async fn a_server_that_restarts_loses_nothing(_: Scene) {
    let mut scene = Scene::on_a_server_of_its_own().await;
    let workers = [scene.worker("one", LEASE).await, scene.worker("two", LEASE).await];
    let mut results = tokio::task::JoinSet::new();
    for number in 0..RUNS {
        let client = scene.client.clone();
        results.spawn(async move {
            let run = client.start(tally(number)).id(format!("tally-{number}")).await;
            let run = run.expect("it can be started");
            let signal = run.signal(Proceed { by: "the test".into() }).dedup_key("proceed");
            signal.await.expect("it can be sent");
            (number, run.result().await)
        });
    }
    for (outage, away) in OUTAGES.into_iter().enumerate() {
        // Each outage is in another part of the work.
        let goal = (RUNS.cast_signed() * 13) * (outage as i64 + 1) / 5;
        scene.audit.until_steps(goal).await;
        scene.stop_server();
        tokio::time::sleep(away).await;
        scene.start_server().await;
    }
    while let Some(ended) = results.join_next().await {
        let (number, result) = ended.expect("no panic");
        assert_eq!(result.expect("it completes"), Tally::expected(number));
    }
    scene.audit.check_steps().await;
    // An outage takes the runs from each worker at most once, and an attempt of a call from one of them.
    let crashes = workers.each_ref().map(Member::id).repeat(OUTAGES.len());
    let mut interrupted = 0;
    for (key, call) in ledger::read(scene.folder.path()).expect("a readable ledger") {
        let count = call.check(&key, &crashes);
        assert!(count <= OUTAGES.len(), "{key}: {call:?}");
        interrupted += count;
    }
    println!("{interrupted} attempts were interrupted");
    for worker in workers {
        worker.leave().await;
    }
}

/// After a restart all locks are free and all connections broken. That must not make a worker count as dead, even if it
/// is slow to take its lock again.
pub(crate) async fn a_quick_restart_takes_nobodys_runs(_: Scene) {
    const RUNS: u64 = 20;
    /// Long enough for a worker to count as dead at any other time.
    const SLOW: Duration = Duration::from_secs(2);
    let mut scene = Scene::on_a_server_of_its_own().await;
    let lease = Duration::from_secs(600);
    let workers = [scene.worker("one", lease).await, scene.worker("two", lease).await];
    let mut runs = Vec::new();
    for number in 0..RUNS {
        runs.push(scene.client.start(gated(number)).await.expect("it can be started"));
    }
    let audit = &mut scene.audit;
    wait_until("they wait at the gate", async || {
        audit.count("SELECT count(*) FROM piton_runs WHERE step_no > 0").await == RUNS.cast_signed()
    })
    .await;
    workers[1].pause();
    scene.stop_server();
    scene.start_server().await;
    let locks = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted";
    let audit = &mut scene.audit;
    wait_until("one lock is held again", async || audit.count(locks).await == 1).await;
    tokio::time::sleep(SLOW).await;
    workers[1].resume();
    wait_until("both are", async || audit.count(locks).await == 2).await;
    Gate::new(scene.folder.path()).open().expect("it can be written");
    for (number, run) in (0..).zip(runs) {
        assert_eq!(run.result().await.expect("it completes"), 2 * number + 1);
    }
    let fenced = "SELECT count(*) FROM piton_workers WHERE fenced_at IS NOT NULL";
    assert_eq!(scene.audit.count(fenced).await, 0);
    for (key, call) in ledger::read(scene.folder.path()).expect("a readable ledger") {
        assert_eq!(call.check(&key, &[]), 0, "{key}: {call:?}");
    }
    for worker in workers {
        worker.leave().await;
    }
}

/// The network fails while the worker commits, another worker takes its runs, and only then the commits arrive.
pub(crate) async fn what_arrives_late_from_a_cut_off_worker_changes_nothing(mut scene: Scene) {
    const RUNS: u64 = 30;
    let proxy = Proxy::start(&scene.socket()).await;
    let lease = Duration::from_secs(600);
    let lonely = scene.worker_at("lonely", &proxy.url(&scene.url), lease, &[]).await;
    let mut runs = Vec::new();
    for number in 0..RUNS {
        runs.push(scene.client.start(gated(number)).await.expect("it can be started"));
    }
    // The name of the state that follows the gate.
    proxy.silence_at(b"pass#2");
    Gate::new(scene.folder.path()).open().expect("it can be written");
    proxy.is_silent().await;
    let store = scene.client.store();
    let workers = store.list_workers().await.expect("they can be listed");
    let workers: Vec<_> = workers.iter().map(|(lease, _)| lease.worker_id).collect();
    store.fence_workers(&workers).await.expect("they can be fenced");
    proxy.resume();
    for (number, run) in (0..).zip(runs) {
        assert_eq!(run.result().await.expect("it completes"), 2 * number + 1);
    }
    // A late step would have been committed without an owner.
    scene.audit.check_steps().await;
    lonely.leave().await;
}

/// The host of the server dies: connections stay open without data, but new ones reach another server.
pub(crate) async fn a_silent_server_is_given_up(mut scene: Scene) {
    let proxy = Proxy::start(&scene.socket()).await;
    let options = StoreOptions::default().answer_timeout(Duration::from_secs(1));
    let store = options.connect(&proxy.url(&scene.url)).await.expect("the way is open");
    let client = Client::new(store);
    let worker = scene.worker("near", LEASE).await;
    Gate::new(scene.folder.path()).open().expect("it can be written");
    let before = client.start(gated(1)).await.expect("it can be started");
    assert_eq!(before.result().await.expect("it completes"), 3);
    proxy.silence_the_old();
    let after = client.start(gated(2)).await.expect("it is tried on another connection");
    assert_eq!(after.result().await.expect("it completes"), 5);
    assert!(client.find(after.run_id()).await.expect("it can be looked up").is_some());
    worker.leave().await;
}
