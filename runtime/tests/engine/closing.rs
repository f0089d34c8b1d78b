//! Cancelling, terminating, blocking, and ids that are taken.

use std::sync::atomic::Ordering;

use piton::error::{RunError, StartError};
use piton::model::BlockedReason;
use piton::prelude::*;
use piton::store::contract::*;

use crate::activities::Approve;
use crate::rig::Rig;
use crate::workflows::{
    FRAGILE_BREAKS, approval, calls_undeployed, careful, collect, fragile, work,
};

#[tokio::test(start_paused = true)]
async fn a_request_to_cancel_ends_the_await() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    // One run is parked and waits for a signal, one has a running activity.
    let waiting = rig.client.start(collect(1)).await.unwrap();
    let working = rig.client.start(work("hang".to_owned())).await.unwrap();
    rig.until_parked(&waiting).await;
    let lab = rig.lab.clone();
    rig.until_true(|| !lab.begun("hang").is_empty()).await;
    waiting.cancel("not needed").await.unwrap();
    working.cancel("not needed").await.unwrap();
    let error = waiting.result().await.unwrap_err();
    assert!(matches!(&error, RunError::Cancelled { reason } if reason == "not needed"), "{error}");
    let error = working.result().await.unwrap_err();
    assert!(matches!(&error, RunError::Cancelled { reason } if reason == "not needed"), "{error}");
    assert_eq!(working.status().await.unwrap().status, RunStatus::Cancelled);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_workflow_can_clean_up_when_cancelled() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(careful()).await.unwrap();
    let lab = rig.lab.clone();
    rig.until_true(|| !lab.begun("hang").is_empty()).await;
    run.cancel("changed my mind").await.unwrap();
    let error = run.result().await.unwrap_err();
    assert_eq!(error.to_string(), "the run was cancelled: changed my mind");
    assert_eq!(rig.lab.begun("undo"), [1]);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_terminated_run_stops_where_it_is() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(work("hang".to_owned())).await.unwrap();
    let lab = rig.lab.clone();
    rig.until_true(|| !lab.begun("hang").is_empty()).await;
    assert!(run.terminate("enough").await.unwrap());
    assert!(run.terminate("enough").await.unwrap(), "that is how it ended");
    assert!(!run.terminate("again").await.unwrap());
    let error = run.result().await.unwrap_err();
    assert!(matches!(&error, RunError::Terminated { reason } if reason == "enough"), "{error}");
    // The activity was aborted: the permit that it would have taken from the gate is still there.
    rig.lab.open_gate();
    let next = rig.client.start(work("hang".to_owned())).await.unwrap();
    assert_eq!(next.result().await.unwrap(), "hang done");
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_open_run_keeps_its_id_to_itself() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let first = rig.client.start(approval(10)).id("order-1").await.unwrap();
    let refused = rig.client.start(approval(10)).id("order-1").await.unwrap_err();
    assert!(
        matches!(&refused, StartError::AlreadyStarted { run_id, .. } if *run_id == first.run_id()),
        "{refused}"
    );
    let same = rig.client.start(approval(10)).id("order-1");
    let same = same.on_conflict(OnConflict::UseExisting).await.unwrap();
    assert_eq!(same.run_id(), first.run_id());
    // A handle of another workflow would read its result as one of this workflow.
    let other = rig.client.start(work("quick".to_owned())).id("order-1");
    let refused = other.on_conflict(OnConflict::UseExisting).await.unwrap_err();
    let text = format!(
        "the workflow id `order-1` is taken by the open run {} of `approval`",
        first.run_id()
    );
    assert_eq!(refused.to_string(), text);
    first.result().await.unwrap_err();
    let second = rig.client.start(approval(10)).id("order-1").await.unwrap();
    assert_ne!(second.run_id(), first.run_id());
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_refused_start_reports_a_blocked_holder_of_the_id() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let first = rig.client.start(approval(100_000)).id("order-1").await.unwrap();
    let parked = rig.until_parked(&first).await;
    rig.spoil(&first);
    first.signal(Approve { by: "ann".to_owned() }).await.unwrap();
    let holder = rig.until_blocked(&first).await;
    let refused = rig.client.start(approval(100_000)).id("order-1").await.unwrap_err();
    let text = refused.to_string();
    let StartError::AlreadyStarted { run_id, blocked: Some(blocked), .. } = refused else {
        panic!("{text}")
    };
    assert_eq!((run_id, blocked.started_at), (first.run_id(), holder.started_at));
    assert_eq!(Some(&blocked.reason), holder.blocked.as_ref());
    assert_eq!(Some(blocked.blocked_at), holder.blocked_at);
    let said = format!(
        "started at {} and has been blocked since {} in the state `{}`: {}",
        holder.started_at, blocked.blocked_at, parked.state, blocked.reason
    );
    assert!(text.ends_with(&said), "{text}");
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_step_that_panics_blocks_the_run_and_loses_nothing() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    FRAGILE_BREAKS.store(true, Ordering::SeqCst);
    let run = rig.client.start(fragile("hello".to_owned())).await.unwrap();
    let blocked = rig.until_blocked(&run).await;
    assert_eq!(blocked.blocked, Some(BlockedReason::Panicked("a fragile step".to_owned())));
    assert_eq!((blocked.state.as_str(), rig.lab.begun("hello")), ("echo", vec![1]));
    worker.shutdown().await.unwrap();
    // The fixed code is deployed; the activity's result was kept.
    FRAGILE_BREAKS.store(false, Ordering::SeqCst);
    let worker = rig.worker().start().await.unwrap();
    assert_eq!(run.result().await.unwrap(), "hello");
    assert_eq!(rig.lab.begun("hello"), [1]);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_state_that_cannot_be_read_blocks_the_run() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(collect(1)).await.unwrap();
    rig.until_parked(&run).await;
    let whole = rig.spoil(&run);
    run.signal(crate::activities::Approve { by: "ada".into() }).await.unwrap();
    let blocked = rig.until_blocked(&run).await;
    assert!(matches!(blocked.blocked, Some(BlockedReason::Undecodable(_))), "{blocked:?}");
    // Still blocked, and another try changes nothing.
    rig.client.unblock(run.run_id()).await.unwrap();
    rig.until_blocked(&run).await;
    // After the state is restored from a backup, the run continues with the signal that came in the meantime.
    rig.store.overwrite_snapshot(run.run_id(), whole);
    rig.client.unblock(run.run_id()).await.unwrap();
    assert_eq!(run.result().await.unwrap(), ["ada"]);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_run_without_a_worker_for_its_workflow_waits() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(collect(1)).await.unwrap();
    rig.until_parked(&run).await;
    let stranger = piton::store::NewRun {
        run_id: piton::model::RunId::new(),
        workflow_id: "stranger".into(),
        workflow: "of_another_build".into(),
        arguments: piton::model::Payload::default(),
        snapshot: Vec::new(),
        state: "start".into(),
        definition: piton::model::DefinitionHash(1),
        owner: None,
        start_at: None,
        first: None,
        attributes: Default::default(),
        memo: Default::default(),
        terms: None,
    };
    rig.store.start_runs(vec![stranger]).await.unwrap();
    tokio::time::sleep(minutes(1)).await;
    let record = rig.client.find("stranger").await.unwrap().unwrap();
    assert_eq!((record.status, record.owner), (RunStatus::Running, None));
    assert!(record.due_at.is_some());
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_activity_that_this_build_does_not_have_blocks_the_run() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(calls_undeployed()).await.unwrap();
    let blocked = rig.until_blocked(&run).await;
    assert_eq!(blocked.blocked, Some(BlockedReason::Unregistered("undeployed".to_owned())));
    worker.shutdown().await.unwrap();
}

/// Its code has not run, so it has nothing to clean up.
#[tokio::test(start_paused = true)]
async fn a_run_that_is_cancelled_before_its_time_never_begins() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(work("echo".to_owned())).start_delay(hours(1)).await.unwrap();
    run.cancel("not needed").await.unwrap();
    let error = run.result().await.unwrap_err();
    assert_eq!(error.to_string(), "the run was cancelled: not needed");
    let record = run.status().await.unwrap();
    assert!(record.closed_at.unwrap() < record.started_at + seconds(10));
    assert_eq!(rig.lab.attempts(), 0);
    worker.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_signal_does_not_begin_a_run_before_its_time() {
    let rig = Rig::new();
    let worker = rig.worker().start().await.unwrap();
    let run = rig.client.start(approval(50)).start_delay(hours(1)).await.unwrap();
    run.signal(Approve { by: "Ann".to_owned() }).await.unwrap();
    tokio::time::sleep(minutes(59)).await;
    assert_eq!(run.status().await.unwrap().step_no.0, 0);
    run.result().await.unwrap();
    let record = run.status().await.unwrap();
    assert!(record.closed_at.unwrap() >= record.started_at + hours(1));
    worker.shutdown().await.unwrap();
}
