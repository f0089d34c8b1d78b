//! Edits of runs by hand.

use std::time::Duration;

use crate::model::{DefinitionHash, RunId, RunStatus, StepNo};
use crate::store::conformance::fixture::{
    LONGER_THAN_LEASE, StoreUnderTest, accepted, activity, block, close, close_as, edit_of,
    enqueue, keep, key, new_run, park, signal,
};
use crate::store::{CommitOutcome, CommitStep, EditOutcome, EditRun, NewRun, StartOutcome};

crate::store::conformance::list_cases!("editing":
    a_parked_run_gets_another_state,
    a_run_that_was_edited_is_due_when_it_is_to_be,
    what_lies_in_the_inbox_makes_it_due_at_once,
    a_blocked_run_that_was_edited_goes_on,
    a_run_that_a_worker_has_is_refused,
    a_fenced_worker_has_nothing,
    a_run_that_has_moved_is_refused,
    a_change_is_made_once,
    a_run_that_is_not_there_is_unknown,
    a_run_that_is_over_stays_over,
    a_failed_run_is_opened_again,
    a_run_named_after_itself_is_opened_again,
    a_run_whose_workflow_id_is_taken_stays_over,
    activities_are_given_up_with_the_change,
    what_arrives_with_the_change_lies_behind_the_rest,
    a_run_that_is_over_takes_no_arrivals,
    what_was_not_changed_stays_as_it_was,
);

async fn edit(t: &StoreUnderTest, edit: EditRun) -> EditOutcome {
    t.store.edit_run(edit).await.expect("runs can be changed")
}

async fn what_arrives_with_the_change_lies_behind_the_rest(t: StoreUnderTest) {
    let worker = t.worker().await;
    for is_blocked in [false, true] {
        let run_id = t.start_owned(&RunId::new().to_string(), worker).await;
        assert_eq!(t.deliver(signal(run_id, "first")).await, accepted(1));
        let step = if is_blocked { block(run_id, 0) } else { park(run_id, 0, None, 1) };
        assert_eq!(t.commit(worker, step).await, CommitOutcome::Committed);
        let arrivals = vec![signal(run_id, "second").kind, signal(run_id, "third").kind];
        let change = EditRun { arrivals, ..edit_of(run_id, 1) };
        assert_eq!(edit(&t, change.clone()).await, EditOutcome::Edited);
        // A change that is not made brings nothing.
        assert_eq!(edit(&t, change).await, EditOutcome::Moved { step_no: StepNo(2) });
        let [claimed] = &t.claim(worker, 10).await[..] else { panic!("the run is due") };
        assert_eq!((claimed.step_no, claimed.inbox_count), (StepNo(2), 3));
        let arrived = claimed.inbox.arrivals.iter().map(|arrival| (arrival.seq, &arrival.kind));
        let names = ["first", "second", "third"].map(|name| signal(run_id, name).kind);
        assert!(arrived.eq((1..).zip(&names)), "{:?}", claimed.inbox.arrivals);
        assert_eq!(t.deliver(signal(run_id, "fourth")).await, accepted(4));
    }
}

async fn a_run_that_is_over_takes_no_arrivals(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    t.commit(worker, close_as(run_id, 0, RunStatus::Failed, None, None)).await;
    let arrivals = vec![signal(run_id, "go").kind];
    let edited = edit(&t, EditRun { reopen: true, arrivals, ..edit_of(run_id, 1) }).await;
    assert_eq!(edited, EditOutcome::Closed { status: RunStatus::Failed });
}

async fn snapshot(t: &StoreUnderTest, run_id: RunId) -> Vec<u8> {
    let found = t.store.find_snapshot(run_id).await.expect("snapshots can be read");
    found.expect("the run is there")
}

async fn a_parked_run_gets_another_state(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    t.commit(worker, park(run_id, 0, None, 0)).await;
    assert_eq!(edit(&t, edit_of(run_id, 1)).await, EditOutcome::Edited);
    let record = t.record(run_id).await;
    assert_eq!((record.status, record.step_no), (RunStatus::Running, StepNo(2)));
    assert_eq!(record.state, "edited");
    assert_eq!(record.definition, Some(DefinitionHash(u64::MAX - 1)));
    assert_eq!((record.owner, record.due_at), (None, None));
    assert_eq!(snapshot(&t, run_id).await, b"edited");
    // A worker that had the run before, with the owner's guard met by chance.
    assert_eq!(t.commit(worker, keep(run_id, 1, "late")).await, CommitOutcome::Lost);
}

async fn a_run_that_was_edited_is_due_when_it_is_to_be(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start("a").await;
    let wake_at = Some(t.now() + Duration::from_secs(5));
    let edited = edit(&t, EditRun { wake_at, ..edit_of(run_id, 0) }).await;
    assert_eq!(edited, EditOutcome::Edited);
    assert_eq!(t.claim_ids(worker, 10).await, []);
    t.clock.advance(Duration::from_secs(5));
    let [claimed] = &t.claim(worker, 10).await[..] else { panic!("the run is due") };
    assert_eq!((claimed.step_no, &claimed.snapshot[..]), (StepNo(1), &b"edited"[..]));
    let step = keep(run_id, 1, "on");
    assert_eq!(t.commit(worker, step).await, CommitOutcome::Committed);
}

async fn what_lies_in_the_inbox_makes_it_due_at_once(t: StoreUnderTest) {
    let worker = t.worker().await;
    for wake_at in [None, Some(t.now() + Duration::from_secs(60))] {
        let run_id = t.start_owned(&RunId::new().to_string(), worker).await;
        assert_eq!(t.deliver(signal(run_id, "go")).await, accepted(1));
        // It has seen the arrival and does not want it.
        t.commit(worker, park(run_id, 0, None, 1)).await;
        assert_eq!(t.claim_ids(worker, 10).await, []);
        edit(&t, EditRun { wake_at, ..edit_of(run_id, 1) }).await;
        let [claimed] = &t.claim(worker, 10).await[..] else { panic!("the run is due") };
        assert_eq!((claimed.run_id, claimed.inbox.arrivals.len()), (run_id, 1));
    }
}

async fn a_blocked_run_that_was_edited_goes_on(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    t.commit(worker, block(run_id, 0)).await;
    let wake_at = Some(t.now());
    let edited = edit(&t, EditRun { wake_at, ..edit_of(run_id, 1) }).await;
    assert_eq!(edited, EditOutcome::Edited);
    let record = t.record(run_id).await;
    assert_eq!(
        (record.status, record.blocked, record.blocked_at),
        (RunStatus::Running, None, None)
    );
    assert_eq!(t.claim_ids(worker, 10).await, [run_id]);
}

async fn a_run_that_a_worker_has_is_refused(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    let busy = EditOutcome::Busy { worker: worker.worker_id };
    assert_eq!(edit(&t, edit_of(run_id, 0)).await, busy);
    assert_eq!(edit(&t, edit_of(run_id, 7)).await, busy);
    assert_eq!(snapshot(&t, run_id).await, b"start");
    assert_eq!(t.commit(worker, keep(run_id, 0, "on")).await, CommitOutcome::Committed);
}

async fn a_fenced_worker_has_nothing(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    t.clock.advance(LONGER_THAN_LEASE);
    t.store.fence_expired_workers().await.expect("workers can be fenced");
    assert_eq!(edit(&t, edit_of(run_id, 0)).await, EditOutcome::Edited);
    let late = keep(run_id, 0, "late");
    t.store.commit_steps(worker, &[&late]).await.expect_err("it is fenced");
    assert_eq!(snapshot(&t, run_id).await, b"edited");
    let [claimed] = &t.claim(t.worker().await, 10).await[..] else { return };
    panic!("{claimed:?} is not due");
}

async fn a_run_that_has_moved_is_refused(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    t.commit(worker, keep(run_id, 0, "on")).await;
    t.commit(worker, park(run_id, 1, None, 0)).await;
    for step_no in [0, 1, 3] {
        let moved = EditOutcome::Moved { step_no: StepNo(2) };
        assert_eq!(edit(&t, edit_of(run_id, step_no)).await, moved);
    }
    assert_eq!(snapshot(&t, run_id).await, b"parked");
}

async fn a_change_is_made_once(t: StoreUnderTest) {
    let run_id = t.start("a").await;
    assert_eq!(edit(&t, edit_of(run_id, 0)).await, EditOutcome::Edited);
    let again = EditRun { snapshot: b"other".to_vec(), ..edit_of(run_id, 0) };
    assert_eq!(edit(&t, again).await, EditOutcome::Moved { step_no: StepNo(1) });
    assert_eq!(snapshot(&t, run_id).await, b"edited");
}

async fn a_run_that_is_not_there_is_unknown(t: StoreUnderTest) {
    assert_eq!(edit(&t, edit_of(RunId::new(), 0)).await, EditOutcome::Unknown);
}

/// A run that has closed with this status.
async fn end(t: &StoreUnderTest, workflow_id: &str, status: RunStatus) -> RunId {
    let worker = t.worker().await;
    let run_id = t.start_owned(workflow_id, worker).await;
    t.commit(worker, close_as(run_id, 0, status, None, Some("declined"))).await;
    run_id
}

async fn a_run_that_is_over_stays_over(t: StoreUnderTest) {
    for status in [RunStatus::Completed, RunStatus::Failed] {
        let run_id = end(&t, status.as_str(), status).await;
        for reopen in [false, true] {
            if reopen && status == RunStatus::Failed {
                continue;
            }
            let edited = edit(&t, EditRun { reopen, ..edit_of(run_id, 1) }).await;
            assert_eq!(edited, EditOutcome::Closed { status });
        }
        let record = t.record(run_id).await;
        assert_eq!((record.status, record.failure.as_deref()), (status, Some("declined")));
    }
}

async fn a_failed_run_is_opened_again(t: StoreUnderTest) {
    let worker = t.worker().await;
    for status in [RunStatus::Failed, RunStatus::Cancelled] {
        let id = status.as_str();
        let run_id = end(&t, id, status).await;
        let wake_at = Some(t.now());
        let edited = edit(&t, EditRun { reopen: true, wake_at, ..edit_of(run_id, 1) }).await;
        assert_eq!(edited, EditOutcome::Edited);
        let record = t.record(run_id).await;
        assert_eq!((record.status, record.closed_at), (RunStatus::Running, None));
        assert_eq!((record.failure, record.result), (None, None));
        // It has its workflow id, and whatever arrives, again.
        let second = t.start_all(vec![new_run(id)]).await;
        assert_eq!(second, [StartOutcome::IdTaken { run_id }]);
        assert_eq!(t.deliver(signal(run_id, "go")).await, accepted(1));
        assert_eq!(t.claim_ids(worker, 10).await, [run_id]);
        assert_eq!(t.commit(worker, close(run_id, 2)).await, CommitOutcome::Committed);
        assert_eq!(t.record(run_id).await.status, RunStatus::Completed);
    }
}

async fn a_run_named_after_itself_is_opened_again(t: StoreUnderTest) {
    let run = new_run("a");
    let (run_id, workflow_id) = (run.run_id, run.run_id.to_string());
    let run = NewRun { workflow_id: workflow_id.clone(), ..run };
    t.start_all(vec![run]).await;
    assert!(t.store.terminate_run(run_id, "enough").await.expect("it can be"));
    let edited = edit(&t, EditRun { reopen: true, ..edit_of(run_id, 0) }).await;
    assert_eq!(edited, EditOutcome::Edited);
    let record = t.record(run_id).await;
    assert_eq!((record.status, &record.workflow_id), (RunStatus::Running, &workflow_id));
    let second = t.start_all(vec![new_run(&workflow_id)]).await;
    assert_eq!(second, [StartOutcome::IdTaken { run_id }]);
    let found = t.store.find_run(&workflow_id.into()).await.expect("runs can be looked up");
    assert_eq!(found.map(|run| run.run_id), Some(run_id));
}

async fn a_run_whose_workflow_id_is_taken_stays_over(t: StoreUnderTest) {
    let closed = end(&t, "a", RunStatus::Failed).await;
    let open = t.start("a").await;
    let edited = edit(&t, EditRun { reopen: true, ..edit_of(closed, 1) }).await;
    assert_eq!(edited, EditOutcome::IdTaken { run_id: open });
    assert_eq!(t.record(closed).await.status, RunStatus::Failed);
    // The id of a run may be the workflow id of another.
    let named = t.start_all(vec![{
        let run = new_run("b");
        NewRun { workflow_id: run.run_id.to_string(), ..run }
    }]);
    assert_eq!(named.await, [StartOutcome::Started { owned: false }]);
}

async fn activities_are_given_up_with_the_change(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    let effects = enqueue(vec![activity(0), activity(1)]);
    t.commit(worker, CommitStep { effects, ..park(run_id, 0, None, 0) }).await;
    let given_up = vec![key(run_id, 0).handle, key(run_id, 9).handle];
    edit(&t, EditRun { given_up, ..edit_of(run_id, 1) }).await;
    assert_eq!(t.activity(key(run_id, 0)).await, None);
    assert!(t.activity(key(run_id, 1)).await.is_some());
}

async fn what_was_not_changed_stays_as_it_was(t: StoreUnderTest) {
    let (run_id, other) = (t.start("a").await, t.start("b").await);
    let before = t.record(run_id).await;
    edit(&t, edit_of(run_id, 0)).await;
    let after = t.record(run_id).await;
    assert_eq!((after.workflow_id, after.workflow), (before.workflow_id, before.workflow));
    assert_eq!(after.started_at, before.started_at);
    assert_eq!(
        (t.record(other).await.step_no, snapshot(&t, other).await),
        (StepNo(0), b"start".to_vec())
    );
}
