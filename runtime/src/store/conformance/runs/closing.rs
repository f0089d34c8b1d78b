//! Ends of runs.

use std::time::Duration;

use crate::model::{Payload, RunId, RunStatus, StepNo};
use crate::store::conformance::fixture::{
    NOTHING, StoreUnderTest, block, close, close_as, keep, keyed, signal,
};
use crate::store::{ArrivalOutcome, CommitOutcome, RunKey};

crate::store::conformance::list_cases!("closing":
    a_completed_run_keeps_its_result,
    every_closed_status_can_be_told,
    a_failed_run_keeps_result_and_failure,
    a_run_can_close_without_either,
    an_empty_result_is_not_the_same_as_none,
    the_state_stays_what_it_was,
    a_closed_run_is_owned_by_nobody_and_never_due,
    a_closed_run_takes_no_arrivals,
    dedup_keys_outlive_the_run,
    terminating_closes_an_owned_run,
    terminating_closes_a_parked_run,
    terminating_closes_a_blocked_run,
    terminating_again_says_what_is_so_and_changes_nothing,
    terminating_a_closed_run_changes_nothing,
    terminating_an_unknown_run_does_nothing,
    terminating_frees_the_workflow_id,
);

async fn a_completed_run_keeps_its_result(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    let started_at = t.now();
    t.clock.advance(Duration::from_secs(1));
    assert_eq!(t.commit(worker, close(run_id, 0)).await, CommitOutcome::Committed);
    let run = t.record(run_id).await;
    assert_eq!((run.status, run.step_no), (RunStatus::Completed, StepNo(1)));
    assert_eq!(run.result, Some(Payload(b"result".to_vec())));
    assert_eq!(run.failure, None);
    assert_eq!((run.started_at, run.closed_at), (started_at, Some(t.now())));
}

async fn every_closed_status_can_be_told(t: StoreUnderTest) {
    let worker = t.worker().await;
    let closed = [RunStatus::Completed, RunStatus::Failed, RunStatus::Cancelled];
    for status in closed.into_iter().chain([RunStatus::Terminated]) {
        let run_id = t.start_owned(status.as_str(), worker).await;
        t.commit(worker, close_as(run_id, 0, status, None, None)).await;
        assert_eq!(t.record(run_id).await.status, status);
    }
}

async fn a_failed_run_keeps_result_and_failure(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    let result = Some(Payload(vec![0, 255]));
    t.commit(worker, close_as(run_id, 0, RunStatus::Failed, result.clone(), Some("why"))).await;
    let run = t.record(run_id).await;
    assert_eq!((run.result, run.failure.as_deref()), (result, Some("why")));
}

async fn a_run_can_close_without_either(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    t.commit(worker, close_as(run_id, 0, RunStatus::Cancelled, None, None)).await;
    let run = t.record(run_id).await;
    assert_eq!((run.status, run.result, run.failure), (RunStatus::Cancelled, None, None));
}

async fn an_empty_result_is_not_the_same_as_none(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    let result = Some(Payload::default());
    t.commit(worker, close_as(run_id, 0, RunStatus::Failed, result.clone(), Some(""))).await;
    let run = t.record(run_id).await;
    assert_eq!((run.result, run.failure.as_deref()), (result, Some("")));
}

async fn the_state_stays_what_it_was(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    t.commit(worker, keep(run_id, 0, "last")).await;
    t.commit(worker, close(run_id, 1)).await;
    assert_eq!(t.record(run_id).await.state, "last");
}

async fn a_closed_run_is_owned_by_nobody_and_never_due(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    t.commit(worker, close(run_id, 0)).await;
    let run = t.record(run_id).await;
    assert_eq!((run.owner, run.due_at), (None, None));
    t.store.release_worker(worker).await.expect("a worker can leave");
    assert_eq!(t.record(run_id).await.due_at, None);
}

async fn a_closed_run_takes_no_arrivals(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    t.commit(worker, close(run_id, 0)).await;
    assert_eq!(t.deliver(signal(run_id, "x")).await, ArrivalOutcome::Closed);
    assert_eq!(t.inbox(run_id).await, NOTHING);
}

async fn dedup_keys_outlive_the_run(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    t.deliver(keyed(run_id, "once")).await;
    t.commit(worker, close(run_id, 0)).await;
    assert_eq!(t.deliver(keyed(run_id, "once")).await, ArrivalOutcome::Duplicate);
    assert_eq!(t.deliver(keyed(run_id, "other")).await, ArrivalOutcome::Closed);
}

async fn terminate(t: &StoreUnderTest, run_id: RunId) -> bool {
    t.store.terminate_run(run_id, "enough").await.expect("runs can be terminated")
}

async fn assert_terminated(t: &StoreUnderTest, run_id: RunId) {
    assert!(terminate(t, run_id).await);
    let run = t.record(run_id).await;
    assert_eq!((run.status, run.owner, run.due_at), (RunStatus::Terminated, None, None));
    assert_eq!((run.closed_at, run.failure.as_deref()), (Some(t.now()), Some("enough")));
    assert_eq!((run.blocked, run.result), (None, None));
}

async fn terminating_closes_an_owned_run(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    assert_terminated(&t, run_id).await;
}

async fn terminating_closes_a_parked_run(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start("a").await;
    assert_terminated(&t, run_id).await;
    assert_eq!(t.claim_ids(worker, 1).await, []);
}

async fn terminating_closes_a_blocked_run(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    t.commit(worker, block(run_id, 0)).await;
    assert_terminated(&t, run_id).await;
}

/// A caller that has lost the response calls again.
async fn terminating_again_says_what_is_so_and_changes_nothing(t: StoreUnderTest) {
    let run_id = t.start("a").await;
    assert_terminated(&t, run_id).await;
    let terminated_at = t.now();
    t.clock.advance(Duration::from_secs(1));
    assert!(terminate(&t, run_id).await);
    let for_another_reason = t.other.terminate_run(run_id, "enough!").await;
    assert!(!for_another_reason.expect("it can be asked"));
    let run = t.record(run_id).await;
    assert_eq!((run.closed_at, run.failure.as_deref()), (Some(terminated_at), Some("enough")));
    // What the workflow itself came to is something else.
    let worker = t.worker().await;
    let failed = t.start_owned("b", worker).await;
    t.commit(worker, close_as(failed, 0, RunStatus::Failed, None, Some("enough"))).await;
    assert!(!terminate(&t, failed).await);
}

async fn terminating_a_closed_run_changes_nothing(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    t.commit(worker, close(run_id, 0)).await;
    assert!(!terminate(&t, run_id).await);
    let run = t.record(run_id).await;
    assert_eq!((run.status, run.failure), (RunStatus::Completed, None));
}

async fn terminating_an_unknown_run_does_nothing(t: StoreUnderTest) {
    let run_id = RunId::new();
    assert!(!terminate(&t, run_id).await);
    let found = t.store.find_run(&RunKey::RunId(run_id)).await;
    assert!(found.expect("runs can be looked up").is_none());
}

async fn terminating_frees_the_workflow_id(t: StoreUnderTest) {
    let run_id = t.start("a").await;
    terminate(&t, run_id).await;
    assert_ne!(t.start("a").await, run_id);
}
