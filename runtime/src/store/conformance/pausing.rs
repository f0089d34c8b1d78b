//! Pausing and resuming runs.

use std::time::Duration;

use super::fixture::{
    LONGER_THAN_LEASE, NOTHING, StoreUnderTest, accepted, activity, block, by_worker, close,
    edit_of, enqueue, keep, new_run, outcome, park, signal,
};
use super::runs::chains::continued;
use crate::model::{RunId, RunStatus};
use crate::store::{
    ArrivalKind, ChangeOutcome, ChangeRun, CommitOutcome, CommitStep, EditOutcome, EditRun, Effect,
    FinishOutcome, NewArrival, NewAuditEntry, NewRun, Pause, RunChange, WorkerLease,
};

crate::store::conformance::list_cases!("pausing":
    a_parked_run_takes_no_step_until_it_is_resumed,
    what_arrives_for_a_paused_run_is_kept,
    the_outcome_of_an_activity_on_a_queue_is_kept,
    a_run_that_a_worker_has_is_paused_by_it,
    a_pause_that_was_taken_back_leaves_the_run_due,
    the_run_of_a_dead_worker_is_paused_at_once,
    a_run_that_has_not_begun_begins_when_it_was_to,
    a_request_to_cancel_one_that_has_not_begun_makes_it_due,
    a_blocked_run_is_paused,
    a_paused_run_stays_paused_when_it_is_edited,
    a_paused_run_can_be_terminated_and_deleted,
    a_run_that_is_opened_again_is_not_paused,
    a_run_that_is_over_is_not_paused,
    a_pause_goes_over_to_the_run_that_follows,
    a_reason_may_have_any_characters,
);

async fn change(t: &StoreUnderTest, run_id: RunId, change: RunChange) -> ChangeOutcome {
    change_because(t, run_id, change, ["ann", "looked at"]).await
}

async fn change_because(
    t: &StoreUnderTest,
    run_id: RunId,
    change: RunChange,
    [who, reason]: [&str; 2],
) -> ChangeOutcome {
    let (who, reason) = (who.to_owned(), reason.to_owned());
    let audit = NewAuditEntry { who, action: "change".into(), reason, details: None };
    let change = ChangeRun { run_id, change, audit };
    t.store.change_run(change).await.expect("runs can be changed")
}

async fn pause(t: &StoreUnderTest, run_id: RunId) -> ChangeOutcome {
    change(t, run_id, RunChange::Pause).await
}

async fn resume(t: &StoreUnderTest, run_id: RunId) -> ChangeOutcome {
    change(t, run_id, RunChange::Resume).await
}

async fn paused(t: &StoreUnderTest, run_id: RunId) -> Option<Pause> {
    let details = t.store.find_details(run_id).await.expect("runs can be looked at");
    details.expect("the run is there").paused
}

async fn status(t: &StoreUnderTest, run_id: RunId) -> (RunStatus, bool) {
    let run = t.record(run_id).await;
    (run.status, run.due_at.is_some())
}

async fn entries(t: &StoreUnderTest, run_id: RunId) -> usize {
    t.store.list_audit(Some(run_id), None, 100).await.expect("entries can be listed").len()
}

/// A run that has made a step and is parked without a due time.
async fn parked(t: &StoreUnderTest, workflow_id: &str, worker: WorkerLease) -> RunId {
    let run_id = t.start_owned(workflow_id, worker).await;
    t.commit(worker, park(run_id, 0, None, 0)).await;
    run_id
}

/// The commit by which an owner lets go of a paused run.
fn let_go(t: &StoreUnderTest, run_id: RunId, expected: i64, consumed: Vec<i64>) -> CommitStep {
    let step = park(run_id, expected, Some(t.now()), 0);
    CommitStep { consumed, effects: vec![Effect::Pause], ..step }
}

async fn a_parked_run_takes_no_step_until_it_is_resumed(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    let wake_at = t.now() + Duration::from_secs(1);
    t.commit(worker, park(run_id, 0, Some(wake_at), 0)).await;
    assert_eq!(pause(&t, run_id).await, ChangeOutcome::Changed);
    assert_eq!(pause(&t, run_id).await, ChangeOutcome::Unchanged);
    assert_eq!(status(&t, run_id).await, (RunStatus::Paused, false));
    let expected = Pause { at: t.now(), by: "ann".into(), reason: "looked at".into() };
    assert_eq!(paused(&t, run_id).await, Some(expected));
    t.clock.advance(Duration::from_secs(5));
    assert_eq!(t.claim_ids(worker, 10).await, []);
    assert_eq!(resume(&t, run_id).await, ChangeOutcome::Changed);
    assert_eq!(resume(&t, run_id).await, ChangeOutcome::Unchanged);
    assert_eq!(paused(&t, run_id).await, None);
    assert_eq!(t.claim_ids(worker, 10).await, [run_id]);
    assert_eq!(entries(&t, run_id).await, 2);
    assert_eq!(pause(&t, RunId::new()).await, ChangeOutcome::Unknown);
    assert_eq!(resume(&t, RunId::new()).await, ChangeOutcome::Unknown);
}

async fn what_arrives_for_a_paused_run_is_kept(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = parked(&t, "a", worker).await;
    pause(&t, run_id).await;
    assert_eq!(t.deliver(signal(run_id, "go")).await, accepted(1));
    let kind = ArrivalKind::Cancel { reason: "enough".into() };
    let cancel = NewArrival { run_id, kind, dedup_key: None, owner: None };
    assert_eq!(t.deliver(cancel).await, accepted(2));
    assert_eq!(status(&t, run_id).await, (RunStatus::Paused, false));
    assert_eq!(t.claim_ids(worker, 10).await, []);
    resume(&t, run_id).await;
    let [claimed] = &t.claim(worker, 10).await[..] else { panic!("the run is due") };
    assert_eq!((claimed.inbox_count, claimed.inbox.arrivals.len()), (2, 2));
}

async fn the_outcome_of_an_activity_on_a_queue_is_kept(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    let step = park(run_id, 0, None, 0);
    t.commit(worker, CommitStep { effects: enqueue(vec![activity(0)]), ..step }).await;
    pause(&t, run_id).await;
    let claimed = t.claim_one(worker).await;
    let end = by_worker(worker, &claimed, outcome());
    assert_eq!(t.finish(end).await, FinishOutcome::Finished);
    assert_eq!(t.inbox(run_id).await, [1]);
    assert_eq!(status(&t, run_id).await, (RunStatus::Paused, false));
    resume(&t, run_id).await;
    assert_eq!(t.claim_ids(worker, 10).await, [run_id]);
}

async fn a_run_that_a_worker_has_is_paused_by_it(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    assert_eq!(pause(&t, run_id).await, ChangeOutcome::Changed);
    assert_eq!(pause(&t, run_id).await, ChangeOutcome::Unchanged);
    assert_eq!(status(&t, run_id).await, (RunStatus::Running, false));
    assert!(paused(&t, run_id).await.is_some(), "it is to be");
    let inbox = t.store.read_inbox(run_id, 0, 10).await.expect("inboxes can be read");
    let kinds: Vec<_> = inbox.arrivals.into_iter().map(|arrival| arrival.kind).collect();
    assert_eq!(kinds, [ArrivalKind::Pause]);
    // Steps that are made before the owner hears of it.
    assert_eq!(t.commit(worker, keep(run_id, 0, "on")).await, CommitOutcome::Committed);
    let step = let_go(&t, run_id, 1, vec![1]);
    assert_eq!(t.commit(worker, step.clone()).await, CommitOutcome::Committed);
    assert_eq!(t.commit(worker, step).await, CommitOutcome::Lost);
    assert_eq!(status(&t, run_id).await, (RunStatus::Paused, false));
    assert_eq!(t.record(run_id).await.owner, None);
    assert_eq!(t.inbox(run_id).await, NOTHING);
    resume(&t, run_id).await;
    assert_eq!(t.claim_ids(worker, 10).await, [run_id]);
}

async fn a_pause_that_was_taken_back_leaves_the_run_due(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    pause(&t, run_id).await;
    assert_eq!(resume(&t, run_id).await, ChangeOutcome::Changed);
    assert_eq!(resume(&t, run_id).await, ChangeOutcome::Unchanged);
    t.commit(worker, let_go(&t, run_id, 0, vec![1])).await;
    assert_eq!(status(&t, run_id).await, (RunStatus::Running, true));
    assert_eq!(t.claim_ids(worker, 10).await, [run_id]);
}

async fn the_run_of_a_dead_worker_is_paused_at_once(t: StoreUnderTest) {
    let dead = t.worker().await;
    let run_id = t.start_owned("a", dead).await;
    pause(&t, run_id).await;
    t.clock.advance(LONGER_THAN_LEASE);
    t.store.fence_expired_workers().await.expect("workers can be fenced");
    assert_eq!(pause(&t, run_id).await, ChangeOutcome::Changed);
    assert_eq!(status(&t, run_id).await, (RunStatus::Paused, false));
    let worker = t.worker().await;
    assert_eq!(t.claim_ids(worker, 10).await, []);
}

async fn a_run_that_has_not_begun_begins_when_it_was_to(t: StoreUnderTest) {
    let worker = t.worker().await;
    let start_at = Some(t.now() + Duration::from_secs(5));
    let run = NewRun { start_at, ..new_run("a") };
    let run_id = run.run_id;
    t.start_all(vec![run]).await;
    pause(&t, run_id).await;
    t.deliver(signal(run_id, "go")).await;
    resume(&t, run_id).await;
    assert_eq!(t.record(run_id).await.due_at, start_at);
    pause(&t, run_id).await;
    t.clock.advance(Duration::from_secs(6));
    assert_eq!(t.claim_ids(worker, 10).await, []);
    resume(&t, run_id).await;
    assert_eq!(t.claim_ids(worker, 10).await, [run_id]);
}

async fn a_request_to_cancel_one_that_has_not_begun_makes_it_due(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run = NewRun { start_at: Some(t.now() + Duration::from_secs(60)), ..new_run("a") };
    let run_id = run.run_id;
    t.start_all(vec![run]).await;
    pause(&t, run_id).await;
    let kind = ArrivalKind::Cancel { reason: "enough".into() };
    t.deliver(NewArrival { run_id, kind, dedup_key: None, owner: None }).await;
    assert_eq!(t.claim_ids(worker, 10).await, []);
    resume(&t, run_id).await;
    assert_eq!(t.claim_ids(worker, 10).await, [run_id]);
}

async fn a_blocked_run_is_paused(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    t.commit(worker, block(run_id, 0)).await;
    assert_eq!(pause(&t, run_id).await, ChangeOutcome::Changed);
    let run = t.record(run_id).await;
    assert_eq!((run.status, run.blocked, run.blocked_at), (RunStatus::Paused, None, None));
    assert_eq!(t.store.unblock_runs(&[], Some(run_id)).await.expect("runs can be unblocked"), 0);
    resume(&t, run_id).await;
    assert_eq!(t.claim_ids(worker, 10).await, [run_id]);
}

async fn a_paused_run_stays_paused_when_it_is_edited(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = parked(&t, "a", worker).await;
    pause(&t, run_id).await;
    let edit = EditRun {
        wake_at: Some(t.now()),
        arrivals: vec![signal(run_id, "go").kind],
        ..edit_of(run_id, 1)
    };
    let edited = t.store.edit_run(edit).await.expect("runs can be edited");
    assert_eq!(edited, EditOutcome::Edited);
    assert_eq!(status(&t, run_id).await, (RunStatus::Paused, false));
    assert!(paused(&t, run_id).await.is_some(), "it is paused as before");
    resume(&t, run_id).await;
    let [claimed] = &t.claim(worker, 10).await[..] else { panic!("the run is due") };
    assert_eq!((&claimed.snapshot[..], claimed.inbox_count), (&b"edited"[..], 1));
}

async fn a_paused_run_can_be_terminated_and_deleted(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = parked(&t, "a", worker).await;
    pause(&t, run_id).await;
    assert!(t.store.terminate_run(run_id, "enough").await.expect("runs can be terminated"));
    assert_eq!(status(&t, run_id).await, (RunStatus::Terminated, false));
    assert_eq!(paused(&t, run_id).await, None);
    assert_eq!(resume(&t, run_id).await, ChangeOutcome::Closed);
    assert_eq!(change(&t, run_id, RunChange::Delete).await, ChangeOutcome::Changed);
    assert_eq!(resume(&t, run_id).await, ChangeOutcome::Unknown);
}

async fn a_run_that_is_opened_again_is_not_paused(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = parked(&t, "a", worker).await;
    pause(&t, run_id).await;
    assert!(t.store.terminate_run(run_id, "enough").await.expect("runs can be terminated"));
    let edit = EditRun { reopen: true, wake_at: Some(t.now()), ..edit_of(run_id, 1) };
    let edited = t.store.edit_run(edit).await.expect("runs can be edited");
    assert_eq!(edited, EditOutcome::Edited);
    assert_eq!(paused(&t, run_id).await, None);
    assert_eq!(t.claim_ids(worker, 10).await, [run_id]);
}

async fn a_run_that_is_over_is_not_paused(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    t.commit(worker, close(run_id, 0)).await;
    assert_eq!(pause(&t, run_id).await, ChangeOutcome::Closed);
    assert_eq!(resume(&t, run_id).await, ChangeOutcome::Closed);
    assert_eq!(entries(&t, run_id).await, 0);
}

async fn a_pause_goes_over_to_the_run_that_follows(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    pause(&t, run_id).await;
    // The worker continues as a new run before it hears of the pause.
    let start_at = t.now() + Duration::from_secs(5);
    let next = NewRun { start_at: Some(start_at), ..new_run("a") };
    let next_id = next.run_id;
    assert_eq!(t.commit(worker, continued(run_id, 0, next)).await, CommitOutcome::Committed);
    assert_eq!(paused(&t, run_id).await, None);
    let expected = Pause { at: t.now(), by: "ann".into(), reason: "looked at".into() };
    assert_eq!(paused(&t, next_id).await, Some(expected));
    assert_eq!(status(&t, next_id).await, (RunStatus::Paused, false));
    assert_eq!(t.claim_ids(worker, 10).await, []);
    assert_eq!(resume(&t, next_id).await, ChangeOutcome::Changed);
    assert_eq!(t.record(next_id).await.due_at, Some(start_at));
    t.clock.advance(Duration::from_secs(6));
    assert_eq!(t.claim_ids(worker, 10).await, [next_id]);
    // A run that was resumed before it closes is followed by one that runs.
    pause(&t, next_id).await;
    resume(&t, next_id).await;
    let last = new_run("a");
    let last_id = last.run_id;
    assert_eq!(t.commit(worker, continued(next_id, 0, last)).await, CommitOutcome::Committed);
    assert_eq!(t.claim_ids(worker, 10).await, [last_id]);
}

async fn a_reason_may_have_any_characters(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = parked(&t, "a", worker).await;
    let why = ["an\0n", "a\0b"];
    let terminate = RunChange::Terminate { reason: "a\0b".into() };
    for change in [RunChange::Pause, RunChange::Resume, terminate] {
        let pauses = matches!(change, RunChange::Pause);
        assert_eq!(change_because(&t, run_id, change, why).await, ChangeOutcome::Changed);
        if pauses {
            let paused = paused(&t, run_id).await.expect("it is paused");
            // Postgres stores texts without NUL.
            assert_eq!(paused.reason.replace('\u{FFFD}', "\0"), "a\0b");
            assert_eq!(paused.by.replace('\u{FFFD}', "\0"), "an\0n");
        }
    }
}
