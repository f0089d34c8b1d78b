//! Runs that are paused and resumed.

use std::time::Duration;

use piton::error::{EditError, LookupError, RunError};
use piton::model::{RunId, RunStatus};
use piton::prelude::*;
use piton::store::RunRecord;

use crate::activities::{Approve, echo, perform};
use crate::rig::Rig;

#[workflow]
async fn two_activities(cx: &Context) -> String {
    let first = perform("hang").await.unwrap_or_default();
    let second = perform("second").await.unwrap_or_default();
    cx.sleep(hours(1)).await;
    format!("{first}, {second}")
}

#[workflow]
async fn waiting(cx: &Context) -> String {
    select! {
        approve = cx.signal::<Approve>() => approve.by,
        _ = cx.sleep(hours(2)) => "nobody".to_owned(),
    }
}

#[workflow]
async fn retried() -> bool {
    perform("flaky").await.is_ok()
}

#[workflow]
async fn noticing(cx: &Context) -> String {
    match cx.sleep(hours(1)).or_cancelled().await {
        Ok(()) => "slept".to_owned(),
        Err(cancelled) => echo(&cancelled.reason).await,
    }
}

fn is_paused(run: &RunRecord) -> bool {
    run.status == RunStatus::Paused
}

#[tokio::test(start_paused = true)]
async fn an_activity_under_way_is_made_and_the_next_is_not() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(two_activities()).await.unwrap();
    rig.until_begun("hang", &[1]).await;
    assert!(run.pause("the printer is on fire").by("ann").await.unwrap());
    assert!(!run.pause("again").await.unwrap());
    tokio::time::sleep(Duration::from_secs(5)).await;
    // Its worker still owns it.
    assert_eq!(run.status().await.unwrap().status, RunStatus::Running);
    let shown = rig.client.inspect(run.run_id()).await.unwrap();
    let pause = shown.paused.expect("it is to be paused");
    assert_eq!((&*pause.by, &*pause.reason), ("ann", "the printer is on fire"));
    rig.lab.open_gate();
    let record = rig.until(&run, is_paused).await;
    assert_eq!((record.owner, record.due_at), (None, None));
    tokio::time::sleep(Duration::from_secs(3600)).await;
    assert!(rig.lab.begun("second").is_empty());
    assert!(run.resume().by("ann").because("it is out").await.unwrap());
    assert!(!run.resume().await.unwrap());
    assert_eq!(run.result().await.unwrap(), "hang done, second done");
    assert_eq!((rig.lab.begun("hang"), rig.lab.begun("second")), (vec![1], vec![1]));
    let audit = rig.client.audit(run.run_id(), 10).await.unwrap();
    let entries: Vec<_> = audit.iter().rev().map(|entry| &entry.entry).collect();
    let [pause, resume] = entries[..] else { panic!("{entries:?}") };
    assert_eq!(
        (&*pause.action, &*pause.who, &*pause.reason),
        ("pause", "ann", "the printer is on fire")
    );
    assert_eq!((&*resume.action, &*resume.reason), ("resume", "it is out"));
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_signal_that_has_arrived_precedes_a_timer_that_has_fired() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(waiting()).await.unwrap();
    rig.until_parked(&run).await;
    run.pause("wait").await.unwrap();
    assert_eq!(run.status().await.unwrap().status, RunStatus::Paused);
    run.signal(Approve { by: "ann".into() }).await.unwrap();
    tokio::time::sleep(Duration::from_secs(3 * 3600)).await;
    assert_eq!(run.status().await.unwrap().status, RunStatus::Paused);
    run.resume().await.unwrap();
    assert_eq!(run.result().await.unwrap(), "ann");
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_timer_that_fires_meanwhile_is_seen_at_once() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(waiting()).await.unwrap();
    rig.until_parked(&run).await;
    run.pause("wait").await.unwrap();
    tokio::time::sleep(Duration::from_secs(3 * 3600)).await;
    run.resume().await.unwrap();
    let began = tokio::time::Instant::now();
    assert_eq!(run.result().await.unwrap(), "nobody");
    assert!(began.elapsed() < Duration::from_secs(60));
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_failed_attempt_is_not_followed_by_another_meanwhile() {
    let rig = Rig::new();
    rig.lab.fail("flaky", 1);
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(retried()).await.unwrap();
    rig.until_begun("flaky", &[1]).await;
    run.pause("wait").await.unwrap();
    rig.until(&run, is_paused).await;
    tokio::time::sleep(Duration::from_secs(3600)).await;
    assert_eq!(rig.lab.begun("flaky"), [1]);
    run.resume().await.unwrap();
    assert!(run.result().await.unwrap());
    assert_eq!(rig.lab.begun("flaky"), [1, 2]);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_request_to_cancel_waits_and_an_end_from_outside_does_not() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(noticing()).await.unwrap();
    let other = rig.client.start(noticing()).await.unwrap();
    rig.until_parked(&run).await;
    rig.until_parked(&other).await;
    let filter = piton::filter::status().equals(RunStatus::Running);
    let paused = rig.client.pause_all(filter).by("ann").because("wait").await.unwrap();
    assert_eq!(paused.changed, 2);
    run.cancel("enough").await.unwrap();
    tokio::time::sleep(Duration::from_secs(600)).await;
    assert_eq!(run.status().await.unwrap().status, RunStatus::Paused);
    assert!(other.terminate("gone").await.unwrap());
    assert!(matches!(other.result().await, Err(RunError::Terminated { .. })));
    let filter: piton::filter::Filter = "status = 'paused'".parse().unwrap();
    let resumed = rig.client.resume_all(filter).by("ann").because("go on").await.unwrap();
    assert_eq!(resumed.changed, 1);
    assert_eq!(run.result().await.unwrap(), "enough");
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_timeout_closes_a_paused_run() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let start = rig.client.start(noticing()).run_timeout(Duration::from_secs(600));
    let run = start.await.unwrap();
    rig.until_parked(&run).await;
    run.pause("wait").await.unwrap();
    assert!(matches!(run.result().await, Err(RunError::TimedOut { .. })));
    assert!(!run.resume().await.unwrap(), "it is over");
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_worker_that_shuts_down_leaves_the_pause_behind() {
    let rig = Rig::new();
    let first = rig.worker().start().await.unwrap();
    let run = rig.client.start(two_activities()).await.unwrap();
    rig.until_begun("hang", &[1]).await;
    run.pause("wait").await.unwrap();
    rig.lab.open_gate();
    first.shutdown().await.unwrap();
    let second = rig.worker().start().await.unwrap();
    rig.until(&run, is_paused).await;
    assert!(rig.lab.begun("second").is_empty());
    run.resume().await.unwrap();
    assert_eq!(run.result().await.unwrap(), "hang done, second done");
    second.shutdown().await.unwrap();
}

#[tokio::test]
async fn there_is_no_run() {
    let rig = Rig::new();
    let error = rig.client.by_id(RunId::new()).pause("wait").await.unwrap_err();
    assert!(matches!(error, EditError::Lookup(LookupError::Unknown(_))), "{error}");
}
