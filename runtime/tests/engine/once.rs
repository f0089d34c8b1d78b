//! Activities that are attempted at most once.

use std::sync::atomic::Ordering;
use std::time::Duration;

use piton::prelude::*;
use piton::store::ActivityKey;
use piton::store::contract::*;

use crate::activities::once;
use crate::faults::Failing;
use crate::queue_limits::LateClaims;
use crate::queues::wide;
use crate::rig::Rig;
use crate::workflows::{TORN_BREAKS, risk, torn, work};

const UNKNOWN: &str = "the outcome of the activity is unknown: its only attempt was cut off and \
                       may have had its effect";

fn text(name: &str) -> String {
    name.to_owned()
}

#[tokio::test(start_paused = true)]
async fn an_error_is_final() {
    let rig = Rig::new();
    rig.lab.fail("declined", 1);
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(risk(text("declined"))).await.unwrap();
    assert_eq!(run.result().await.unwrap_err().to_string(), "declined failed");
    let run = rig.client.start(risk(text("fine"))).await.unwrap();
    assert_eq!(run.result().await.unwrap(), "fine done");
    assert_eq!(rig.lab.begun("declined"), [1]);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn so_is_an_attempt_that_takes_too_long() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(risk(text("hang"))).await.unwrap();
    let error = run.result().await.unwrap_err().to_string();
    assert!(error.contains("start_to_close"), "{error}");
    assert_eq!(rig.lab.begun("hang"), [1]);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn after_the_death_of_its_worker_the_outcome_is_unknown() {
    let rig = Rig::new();
    let doomed = rig.remote_worker().start().await.unwrap();
    let run = rig.client.start(risk(text("hang"))).await.unwrap();
    rig.until_begun("hang", &[1]).await;
    drop(doomed);
    let worker = rig.worker().start().await.unwrap();
    assert_eq!(run.result().await.unwrap_err().to_string(), UNKNOWN);
    assert_eq!(rig.lab.begun("hang"), [1]);
    worker.shutdown().await.unwrap();
}

#[workflow]
async fn risk_far_away(name: String) -> Result<String, String> {
    once(&name).queue("far").await.map_err(|error| error.to_string())
}

#[tokio::test(start_paused = true)]
async fn so_it_is_on_a_queue() {
    let rig = Rig::new();
    let owner = rig.worker().start().await.unwrap();
    // Shorter than the time limit of the attempt, so that the attempt does not expire first.
    let doomed = rig.server("far").lease(seconds(3)).start().await.unwrap();
    let run = rig.client.start(risk_far_away(text("hang"))).await.unwrap();
    rig.until_begun("hang", &[1]).await;
    drop(doomed);
    let server = rig.server("far").start().await.unwrap();
    assert_eq!(run.result().await.unwrap_err().to_string(), UNKNOWN);
    assert_eq!(rig.lab.begun("hang"), [1]);
    owner.shutdown().await.unwrap();
    server.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn so_it_is_after_a_shutdown_that_could_not_wait() {
    let rig = Rig::new();
    let first = rig.worker().shutdown_grace(Duration::from_secs(1)).start().await.unwrap();
    let run = rig.client.start(risk(text("hang"))).await.unwrap();
    rig.until_begun("hang", &[1]).await;
    first.shutdown().await.unwrap();
    let second = rig.worker().start().await.unwrap();
    assert_eq!(run.result().await.unwrap_err().to_string(), UNKNOWN);
    assert_eq!(rig.lab.begun("hang"), [1]);
    second.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_run_that_blocks_remembers_the_attempt_it_cut_off() {
    let rig = Rig::new();
    TORN_BREAKS.store(true, Ordering::SeqCst);
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(torn(text("hang"))).await.unwrap();
    rig.until_blocked(&run).await;
    assert_eq!(rig.lab.begun("hang"), [1]);
    TORN_BREAKS.store(false, Ordering::SeqCst);
    rig.client.unblock(run.run_id()).await.unwrap();
    assert_eq!(run.result().await.unwrap_err().to_string(), UNKNOWN);
    assert_eq!(rig.lab.begun("hang"), [1]);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_run_that_cannot_be_read_after_a_death_does_not_forget_it() {
    let rig = Rig::new();
    let doomed = rig.remote_worker().start().await.unwrap();
    let run = rig.client.start(risk(text("hang"))).await.unwrap();
    rig.until_begun("hang", &[1]).await;
    drop(doomed);
    let whole = rig.spoil(&run);
    let worker = rig.worker().start().await.unwrap();
    rig.until_blocked(&run).await;
    rig.store.overwrite_snapshot(run.run_id(), whole);
    assert_eq!(rig.store.unblock_runs(&[], Some(run.run_id())).await.unwrap(), 1);
    assert_eq!(run.result().await.unwrap_err().to_string(), UNKNOWN);
    assert_eq!(rig.lab.begun("hang"), [1]);
    worker.shutdown().await.unwrap();
}

#[workflow]
async fn far_risk(name: String) -> Result<String, String> {
    once(&name).queue("gpu").await.map_err(|error| error.to_string())
}

/// Waits until a worker has claimed the run's activity.
async fn until_given<W: piton::machine::Workflow>(rig: &Rig, run: &RunHandle<W>) {
    let key = ActivityKey { run_id: run.run_id(), handle: piton::model::Handle(0) };
    while rig.store.find_activity(key).await.unwrap().is_none_or(|row| row.worker.is_none()) {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_claim_without_a_response_is_released() {
    let rig = Rig::new();
    let first = rig.worker().queue(wide("gpu")).start().await.unwrap();
    rig.store.set_hook(Failing::new("claim_activities", u32::MAX, true));
    let run = rig.client.start(far_risk(text("fine"))).await.unwrap();
    until_given(&rig, &run).await;
    first.shutdown().await.unwrap();
    rig.store.set_hook(Failing::new("nothing", 0, true));
    let second = rig.worker().queue(wide("gpu")).start().await.unwrap();
    assert_eq!(run.result().await.unwrap(), "fine done");
    assert_eq!(rig.lab.begun("fine"), [1]);
    second.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_claim_during_a_shutdown_is_released() {
    let rig = Rig::new();
    let first = rig.worker().queue(wide("gpu")).start().await.unwrap();
    let claims = LateClaims::new();
    rig.store.set_hook(claims.clone());
    let run = rig.client.start(far_risk(text("fine"))).await.unwrap();
    rig.until_true(|| claims.have_given()).await;
    let shutdown = tokio::spawn(first.shutdown());
    tokio::time::sleep(Duration::from_secs(1)).await;
    claims.let_through();
    shutdown.await.unwrap().unwrap();
    assert_eq!(rig.lab.begun("fine"), [0_u32; 0]);
    let second = rig.worker().queue(wide("gpu")).start().await.unwrap();
    assert_eq!(run.result().await.unwrap(), "fine done");
    assert_eq!(rig.lab.begun("fine"), [1]);
    second.shutdown().await.unwrap();
}

/// Other workers need not wait for the end of the shutdown, which takes as long as its attempts.
#[tokio::test(start_paused = true)]
async fn a_claim_during_a_shutdown_goes_to_another_worker_at_once() {
    let rig = Rig::new();
    let grace = Duration::from_secs(600);
    let first = rig.worker().queue(wide("gpu")).shutdown_grace(grace).start().await.unwrap();
    let busy = rig.client.start(far_risk(text("hang"))).await.unwrap();
    rig.until_begun("hang", &[1]).await;
    let claims = LateClaims::new();
    rig.store.set_hook(claims.clone());
    let run = rig.client.start(far_risk(text("fine"))).await.unwrap();
    rig.until_true(|| claims.have_given()).await;
    let second = rig.remote_worker().queue(wide("gpu")).start().await.unwrap();
    let shutdown = tokio::spawn(first.shutdown());
    tokio::time::sleep(Duration::from_secs(1)).await;
    claims.let_through();
    // The other worker finds it at its next poll at the latest.
    let begun = rig.until_begun("fine", &[1]);
    let at_once = tokio::time::timeout(Duration::from_secs(3), begun).await;
    at_once.expect("it is handed back at once");
    assert_eq!(rig.lab.begun("fine"), [1]);
    assert!(!shutdown.is_finished(), "the other attempt is still under way");
    rig.lab.open_gate();
    shutdown.await.unwrap().unwrap();
    assert_eq!(run.result().await.unwrap(), "fine done");
    assert_eq!(busy.result().await.unwrap(), "hang done");
    assert_eq!((rig.lab.begun("fine"), rig.lab.begun("hang")), (vec![1], vec![1]));
    second.shutdown().await.unwrap();
}

/// It was claimed, although there is no slot for it: the response was lost, and other attempts have taken the slot
/// since.
#[tokio::test(start_paused = true)]
async fn a_claim_without_a_slot_is_released_at_shutdown() {
    let rig = Rig::new();
    let first = rig.worker().queue(wide("gpu")).max_activities(1);
    let first = first.shutdown_grace(Duration::from_secs(600)).start().await.unwrap();
    rig.store.set_hook(Failing::new("claim_activities", u32::MAX, true));
    let run = rig.client.start(far_risk(text("fine"))).await.unwrap();
    until_given(&rig, &run).await;
    rig.store.set_hook(Failing::new("nothing", 0, true));
    let busy = rig.client.start(work(text("hang"))).await.unwrap();
    rig.until_begun("hang", &[1]).await;
    // After two polls the worker has found it, and it waits.
    tokio::time::sleep(Duration::from_secs(4)).await;
    let second = rig.remote_worker().queue(wide("gpu")).start().await.unwrap();
    assert_eq!(rig.lab.begun("fine"), [0_u32; 0]);
    let shutdown = tokio::spawn(first.shutdown());
    // The other worker finds it at its next poll at the latest.
    let begun = rig.until_begun("fine", &[1]);
    let at_once = tokio::time::timeout(Duration::from_secs(3), begun).await;
    at_once.expect("it is handed back at once");
    assert!(!shutdown.is_finished(), "the other attempt is still under way");
    rig.lab.open_gate();
    shutdown.await.unwrap().unwrap();
    assert_eq!(run.result().await.unwrap(), "fine done");
    assert_eq!(busy.result().await.unwrap(), "hang done");
    assert_eq!((rig.lab.begun("fine"), rig.lab.begun("hang")), (vec![1], vec![1]));
    second.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_attempt_that_waits_for_its_place_is_not_cut_off_by_a_shutdown() {
    let rig = Rig::new();
    let grace = Duration::from_secs(1);
    let first = rig.worker().max_activities(1).shutdown_grace(grace).start().await.unwrap();
    let busy = rig.client.start(work(text("hang"))).await.unwrap();
    rig.until_begun("hang", &[1]).await;
    let run = rig.client.start(risk(text("fine"))).await.unwrap();
    tokio::time::sleep(Duration::from_millis(10)).await;
    first.shutdown().await.unwrap();
    assert_eq!(rig.lab.begun("fine"), [0_u32; 0]);
    rig.lab.open_gate();
    let second = rig.worker().start().await.unwrap();
    assert_eq!(run.result().await.unwrap(), "fine done");
    assert_eq!(busy.result().await.unwrap(), "hang done");
    assert_eq!((rig.lab.begun("fine"), rig.lab.begun("hang")), (vec![1], vec![1, 2]));
    second.shutdown().await.unwrap();
}
