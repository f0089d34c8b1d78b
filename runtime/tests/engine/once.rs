//! Activities that are attempted at most once.

use std::sync::atomic::Ordering;
use std::time::Duration;

use piton::store::Store;

use crate::rig::Rig;
use crate::workflows::{TORN_BREAKS, risk, torn};

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
    assert!(rig.client.unblock(run.run_id()).await.unwrap());
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
    let whole = rig.store.snapshot(run.run_id()).unwrap();
    rig.store.overwrite_snapshot(run.run_id(), vec![0xff; 20]);
    let worker = rig.worker().start().await.unwrap();
    rig.until_blocked(&run).await;
    rig.store.overwrite_snapshot(run.run_id(), whole);
    assert_eq!(rig.store.unblock_runs(&[], Some(run.run_id())).await.unwrap(), 1);
    assert_eq!(run.result().await.unwrap_err().to_string(), UNKNOWN);
    assert_eq!(rig.lab.begun("hang"), [1]);
    worker.shutdown().await.unwrap();
}
