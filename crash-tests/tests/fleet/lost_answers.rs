//! Connections that break between a request and its response: the request has taken effect, and the caller does not
//! know.

use std::time::Duration;

use piton::machine::WorkflowEntry;
use piton::prelude::*;
use piton_crash_tests::books::{TABLE, single_entry};
use piton_crash_tests::consequences::{asks_a_queue, takes_a_signal};
use piton_crash_tests::gate::{Gate, gated};
use piton_crash_tests::ledger::{self, Ledger};
use piton_crash_tests::workload::{Proceed, Tally, tally};

use crate::proxy::{Cut, Proxy};
use crate::scene::{PATIENCE, Scene, wait_until};

/// Longer than any test, so that no other worker takes over.
const LEASE: Duration = Duration::from_secs(600);

const BLOCK: &str = "UPDATE piton_runs SET status = 'blocked', due_at = NULL, \
    blocked_at = 1, blocked = '{\"panicked\":\"at the disco\"}' WHERE workflow_id = 'blocked'";

/// One commit of each kind, and the claim, of a worker on such a connection.
pub(crate) async fn what_a_worker_commits_without_hearing_of_it_counts_once(mut scene: Scene) {
    Gate::new(scene.folder.path()).open().expect("it can be written");
    let proxy = Proxy::start(&scene.socket()).await;
    let worker = scene.worker_at("far_away", &proxy.url(&scene.url), LEASE, &[]).await;
    let cuts = [
        ("claimed", Cut::AnswerWith(b"claimed".to_vec())),
        ("stepped", Cut::AnswerTo(b"pass#2".to_vec())),
        ("closed", Cut::AnswerTo(b"completed".to_vec())),
    ];
    for (number, (id, cut)) in cuts.into_iter().enumerate() {
        proxy.cut(cut);
        let run = scene.client.start(gated(7)).id(id).await.expect("it can be started");
        let cut = tokio::time::timeout(PATIENCE, proxy.has_cut(number + 1));
        cut.await.unwrap_or_else(|_| panic!("{id}: no answer was lost"));
        let result = tokio::time::timeout(PATIENCE, run.result()).await;
        let result = result.unwrap_or_else(|_| panic!("{id}: nobody goes on with it"));
        assert_eq!(result.expect("it completes"), 15, "{id}");
    }
    scene.audit.check_steps().await;
    // The worker has kept its runs, so no attempt was repeated.
    for (key, call) in ledger::read(scene.folder.path()).expect("a readable ledger") {
        assert_eq!(call.began, call.returned, "{key}");
        assert_eq!(call.began.len(), 1, "{key}: {call:?}");
    }
    worker.leave().await;
}

/// A step that consumes arrivals, and one that puts an activity on a queue, are transactions of several statements.
/// Each has taken effect when its connection breaks.
pub(crate) async fn what_a_step_takes_and_asks_for_without_hearing_of_it_counts_once(
    mut scene: Scene,
) {
    const STEPS: &str = "SELECT count(*) FROM audit_steps JOIN piton_runs USING (run_id) \
        WHERE workflow_id = ";
    let proxy = Proxy::start(&scene.socket()).await;
    let worker = scene.worker_at("far_away", &proxy.url(&scene.url), LEASE, &[]).await;
    // The next transaction of the worker must be that of the step, which finds the signal.
    proxy.cut(Cut::AnswerTo(b"COMMIT\0".to_vec()));
    let proceed = Proceed { by: "the test".into() };
    let taker = scene.client.signal_or_start(proceed, takes_a_signal(7)).id("taker").await;
    let taker = taker.expect("it can be started");
    tokio::time::timeout(PATIENCE, proxy.has_cut(1)).await.expect("no answer was lost");
    assert_eq!(scene.audit.count("SELECT count(*) FROM piton_inbox").await, 0, "it is used up");
    assert!(
        scene.audit.count(&format!("{STEPS}'taker'")).await > 0,
        "by the step that was cut off"
    );
    let result = tokio::time::timeout(PATIENCE, taker.result()).await.expect("it goes on");
    assert_eq!(result.expect("it completes"), 14);

    proxy.cut(Cut::AnswerTo(b"COMMIT\0".to_vec()));
    let asker = scene.client.start(asks_a_queue(7)).id("asker").await.expect("it can be started");
    tokio::time::timeout(PATIENCE, proxy.has_cut(2)).await.expect("no answer was lost");
    assert!(
        scene.audit.count(&format!("{STEPS}'asker'")).await > 0,
        "it is the step that was cut off"
    );
    let result = tokio::time::timeout(PATIENCE, asker.result()).await.expect("it goes on");
    assert_eq!(result.expect("it completes"), 28);

    scene.audit.check_steps().await;
    // The worker has kept its runs, so no attempt was repeated.
    let calls = ledger::read(scene.folder.path()).expect("a readable ledger");
    assert_eq!(calls.len(), 3);
    for (key, call) in calls {
        assert_eq!((&call.began[..], &call.returned[..]), (&[1][..], &[1][..]), "{key}");
    }
    for left in ["piton_inbox", "piton_activities"] {
        assert_eq!(scene.audit.count(&format!("SELECT count(*) FROM {left}")).await, 0, "{left}");
    }
    worker.leave().await;
}

/// A claim in flight when its connection breaks may take effect long after, when the worker has already looked for lost
/// claims. It assigns a run to the worker nevertheless.
pub(crate) async fn what_a_claim_gives_long_after_its_connection_broke_is_found(mut scene: Scene) {
    scene.log_statements().await;
    let proxy = Proxy::start(&scene.socket()).await;
    let client = Client::connect(&proxy.url(&scene.url)).await.expect("the way is open");
    let (gate, ledger) = (Gate::new(scene.folder.path()), Ledger::open(scene.folder.path()));
    let worker = Worker::new(&client).lease(LEASE).max_runs(1).provide(gate.clone());
    let worker = worker.poll_interval(Duration::from_millis(100));
    let worker = worker.provide(ledger.expect("it can be written")).start().await;
    let worker = worker.expect("it starts");
    // The message of a claim of one run: it contains the names of the workflows and the limit, unlike a review.
    let last = WorkflowEntry::all().map(|entry| entry.name).max().expect("there are some");
    proxy.keep([last.as_bytes(), &8_i32.to_be_bytes(), &1_i64.to_be_bytes()].concat());
    let first = scene.client.start(gated(1)).id("first").await.expect("it can be started");
    tokio::time::timeout(PATIENCE, proxy.has_cut(1)).await.expect("a claim is cut off");
    let begun = || ledger::read(scene.folder.path()).expect("a readable ledger").len();
    wait_until("the worker has claimed the run again", async || begun() == 1).await;
    let looks = || scene.statements().iter().filter(|sql| sql.contains("run_id NOT IN")).count();
    wait_until("the worker has looked for more", async || looks() > 0).await;

    // The worker has no room, so only the earlier claim can assign this run to it.
    let second = scene.client.start(gated(2)).id("second").await.expect("it can be started");
    let _way = proxy.pass_on().await;
    let given = "SELECT count(*) FROM piton_runs \
        WHERE workflow_id = 'second' AND worker_id IS NOT NULL";
    wait_until("the late claim takes effect", async || scene.audit.count(given).await == 1).await;
    gate.open().expect("it can be written");
    for (run, result) in [(first, 3), (second, 5)] {
        let ended = tokio::time::timeout(PATIENCE, run.result()).await;
        assert_eq!(ended.expect("it goes on").expect("it completes"), result);
    }
    worker.shutdown().await.expect("it hands back nothing");
    client.close().await;
}

/// The transaction of an activity has taken effect when its connection breaks: its writes exist once, its outcome
/// counts, and the run continues.
pub(crate) async fn what_an_activity_commits_without_hearing_of_it_is_there_once(mut scene: Scene) {
    scene.audit.execute(TABLE).await;
    let proxy = Proxy::start(&scene.socket()).await;
    let worker = scene.worker_at("far_away", &proxy.url(&scene.url), LEASE, &[]).await;
    // The next transaction of the worker must be that of the activity.
    proxy.cut(Cut::AnswerTo(b"COMMIT\0".to_vec()));
    let run = scene.client.start(single_entry(7)).await.expect("it can be started");
    tokio::time::timeout(PATIENCE, proxy.has_cut(1)).await.expect("no answer was lost");
    let count = "SELECT count(*) FROM entries";
    assert_eq!(scene.audit.count(count).await, 1, "what was cut is the activity's own commit");
    let result = tokio::time::timeout(PATIENCE, run.result()).await.expect("it goes on");
    assert_eq!(result.expect("it completes"), 1);
    assert_eq!(scene.audit.count(count).await, 1);
    scene.audit.check_steps().await;
    worker.leave().await;
}

/// A start, a signal with a dedup key, a retry and a termination, on such a connection.
pub(crate) async fn what_a_client_asks_without_hearing_of_it_counts_once(mut scene: Scene) {
    let proxy = Proxy::start(&scene.socket()).await;
    let client = Client::connect(&proxy.url(&scene.url)).await.expect("the way is open");
    proxy.cut(Cut::AnswerTo(b"once-started".to_vec()));
    let run = client.start(tally(3)).id("once-started").await.expect("it can be started");
    proxy.has_cut(1).await;
    proxy.cut(Cut::AnswerTo(b"COMMIT\0".to_vec()));
    let proceed = Proceed { by: "the test".into() };
    run.signal(proceed).dedup_key("proceed").await.expect("it can be sent again");
    proxy.has_cut(2).await;
    let worker = scene.worker("near", LEASE).await;
    assert_eq!(run.result().await.expect("it completes"), Tally::expected(3));
    let runs = "SELECT count(*) FROM piton_runs";
    assert_eq!(scene.audit.count(runs).await, 1);
    scene.audit.check_steps().await;
    worker.leave().await;

    let run = client.start(tally(3)).id("blocked").await.expect("it can be started");
    scene.audit.execute(BLOCK).await;
    proxy.cut(Cut::AnswerTo(run.run_id().as_uuid().as_bytes().to_vec()));
    client.unblock(run.run_id()).await.expect("it can be asked again");
    proxy.has_cut(3).await;
    let due = "SELECT count(*) FROM piton_runs WHERE due_at IS NOT NULL";
    assert_eq!(scene.audit.count(due).await, 1);
    proxy.cut(Cut::AnswerTo(b"COMMIT\0".to_vec()));
    assert!(run.terminate("enough").await.expect("it can be asked again"), "that is how it ended");
    proxy.has_cut(4).await;
    assert!(!run.terminate("never").await.expect("nothing is cut any more"));
}
