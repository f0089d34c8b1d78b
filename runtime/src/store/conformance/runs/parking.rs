//! Parking and waking runs: no wake-up is lost.

use std::time::Duration;

use crate::model::{RunStatus, StepNo, Timestamp};
use crate::store::CommitOutcome;
use crate::store::conformance::fixture::{
    StoreUnderTest, WORKFLOW, accepted, block, keep, park, signal,
};

crate::store::conformance::list_cases!("parking":
    a_parked_run_is_owned_by_nobody,
    a_run_parked_without_a_time_is_never_due_of_itself,
    a_parked_run_is_due_at_its_time,
    a_run_can_be_parked_for_ever,
    an_arrival_makes_a_parked_run_due,
    an_arrival_does_not_make_an_earlier_time_later,
    an_arrival_before_the_parking_that_was_not_read_makes_it_due,
    an_arrival_before_the_parking_that_was_read_does_not,
    an_unread_arrival_does_not_make_an_earlier_time_later,
    a_parked_run_goes_on_where_it_was,
    a_blocked_run_says_why_and_keeps_its_snapshot,
    a_run_that_has_had_arrivals_can_be_blocked,
    a_blocked_run_is_not_woken_by_arrivals,
    unblocking_makes_a_run_due,
    unblocking_goes_by_workflow,
    unblocking_leaves_other_runs_alone,
    unblocking_one_run_leaves_the_others_blocked,
);

async fn a_parked_run_is_owned_by_nobody(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    assert_eq!(t.commit(worker, park(run_id, 0, None, 0)).await, CommitOutcome::Committed);
    let run = t.record(run_id).await;
    assert_eq!((run.owner, run.due_at, run.status), (None, None, RunStatus::Running));
    assert_eq!((run.state.as_str(), run.step_no), ("parked", StepNo(1)));
    assert_eq!(t.commit(worker, keep(run_id, 1, "more")).await, CommitOutcome::Lost);
}

async fn a_run_parked_without_a_time_is_never_due_of_itself(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    t.commit(worker, park(run_id, 0, None, 0)).await;
    let claimed = t.try_claim(worker, 1).await.expect("a valid worker can claim");
    assert!(claimed.runs.is_empty());
    assert_eq!(claimed.next_due_at, None);
}

async fn a_parked_run_is_due_at_its_time(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    let due_at = t.now() + Duration::from_secs(5);
    t.commit(worker, park(run_id, 0, Some(due_at), 0)).await;
    let claimed = t.try_claim(worker, 1).await.expect("a valid worker can claim");
    assert!(claimed.runs.is_empty());
    assert_eq!(claimed.next_due_at, Some(due_at));
    t.clock.set(Timestamp(due_at.0 - 1));
    assert_eq!(t.claim_ids(worker, 1).await, []);
    t.clock.set(due_at);
    assert_eq!(t.claim_ids(worker, 1).await, [run_id]);
}

async fn a_run_can_be_parked_for_ever(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    t.commit(worker, park(run_id, 0, Some(Timestamp::MAX), 0)).await;
    assert_eq!(t.record(run_id).await.due_at, Some(Timestamp::MAX));
    assert_eq!(t.claim_ids(worker, 1).await, []);
}

async fn an_arrival_makes_a_parked_run_due(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    t.commit(worker, park(run_id, 0, None, 0)).await;
    t.deliver(signal(run_id, "x")).await;
    assert_eq!(t.record(run_id).await.due_at, Some(t.now()));
    assert_eq!(t.claim_ids(worker, 1).await, [run_id]);
}

async fn an_arrival_does_not_make_an_earlier_time_later(t: StoreUnderTest) {
    let run_id = t.start("a").await;
    let due_at = t.now();
    t.clock.advance(Duration::from_secs(1));
    t.deliver(signal(run_id, "x")).await;
    assert_eq!(t.record(run_id).await.due_at, Some(due_at));
}

async fn an_arrival_before_the_parking_that_was_not_read_makes_it_due(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    t.deliver_all(vec![signal(run_id, "x"), signal(run_id, "y")]).await;
    let later = t.now() + Duration::from_secs(60);
    t.commit(worker, park(run_id, 0, Some(later), 1)).await;
    assert_eq!(t.record(run_id).await.due_at, Some(t.now()));
    assert_eq!(t.claim_ids(worker, 1).await, [run_id]);
}

async fn an_arrival_before_the_parking_that_was_read_does_not(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    t.deliver_all(vec![signal(run_id, "x"), signal(run_id, "y")]).await;
    t.commit(worker, park(run_id, 0, None, 2)).await;
    assert_eq!(t.record(run_id).await.due_at, None);
    assert_eq!(t.inbox(run_id).await, [1, 2]);
}

async fn an_unread_arrival_does_not_make_an_earlier_time_later(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    let due_at = t.now();
    t.clock.advance(Duration::from_secs(1));
    t.deliver(signal(run_id, "x")).await;
    t.commit(worker, park(run_id, 0, Some(due_at), 0)).await;
    assert_eq!(t.record(run_id).await.due_at, Some(due_at));
}

async fn a_parked_run_goes_on_where_it_was(t: StoreUnderTest) {
    let (worker, next) = (t.worker().await, t.worker().await);
    let run_id = t.start_owned("a", worker).await;
    t.commit(worker, park(run_id, 0, Some(t.now()), 0)).await;
    let [run] = &t.claim(next, 1).await[..] else { panic!("the run is due") };
    assert_eq!((run.snapshot.as_slice(), run.step_no), (&b"parked"[..], StepNo(1)));
    assert_eq!(run.takeovers, 0);
    assert_eq!(t.commit(next, keep(run_id, 1, "on")).await, CommitOutcome::Committed);
}

async fn a_blocked_run_says_why_and_keeps_its_snapshot(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    t.commit(worker, keep(run_id, 0, "one")).await;
    assert_eq!(t.commit(worker, block(run_id, 1)).await, CommitOutcome::Committed);
    let run = t.record(run_id).await;
    assert_eq!((run.status, run.owner, run.due_at), (RunStatus::Blocked, None, None));
    assert_eq!(run.blocked.expect("it has a reason").to_string(), "a step panicked: oh no");
    assert_eq!((run.state.as_str(), run.closed_at), ("one", None));
    t.store.unblock_runs(&[], Some(run_id)).await.expect("runs can be unblocked");
    let [run] = &t.claim(worker, 1).await[..] else { panic!("the run is due") };
    assert_eq!((run.snapshot.as_slice(), run.step_no), (&b"one"[..], StepNo(2)));
}

async fn a_run_that_has_had_arrivals_can_be_blocked(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    t.deliver(signal(run_id, "x")).await;
    assert_eq!(t.commit(worker, block(run_id, 0)).await, CommitOutcome::Committed);
    assert_eq!(
        (t.record(run_id).await.status, t.inbox(run_id).await),
        (RunStatus::Blocked, vec![1])
    );
}

async fn a_blocked_run_is_not_woken_by_arrivals(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    t.commit(worker, block(run_id, 0)).await;
    assert_eq!(t.deliver(signal(run_id, "x")).await, accepted(1));
    let run = t.record(run_id).await;
    assert_eq!((run.status, run.due_at), (RunStatus::Blocked, None));
    assert_eq!(t.inbox(run_id).await, [1]);
}

async fn unblocking_makes_a_run_due(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    t.commit(worker, block(run_id, 0)).await;
    assert_eq!(t.store.unblock_runs(&[], Some(run_id)).await.expect("it can be unblocked"), 1);
    let run = t.record(run_id).await;
    assert_eq!((run.status, run.blocked), (RunStatus::Running, None));
    assert_eq!(run.due_at, Some(t.now()));
    assert_eq!(t.store.unblock_runs(&[], Some(run_id)).await.expect("nothing to do"), 0);
}

async fn unblocking_goes_by_workflow(t: StoreUnderTest) {
    let worker = t.worker().await;
    for id in ["a", "b"] {
        let run_id = t.start_owned(id, worker).await;
        t.commit(worker, block(run_id, 0)).await;
    }
    let unblock = async |workflows: &[&str]| {
        t.store.unblock_runs(workflows, None).await.expect("runs can be unblocked")
    };
    assert_eq!(unblock(&[]).await, 0);
    assert_eq!(unblock(&["elsewhere"]).await, 0);
    assert_eq!(unblock(&["elsewhere", WORKFLOW]).await, 2);
    assert_eq!(t.claim(worker, 10).await.len(), 2);
}

async fn unblocking_leaves_other_runs_alone(t: StoreUnderTest) {
    let worker = t.worker().await;
    let owned = t.start_owned("owned", worker).await;
    let parked = t.start_owned("parked", worker).await;
    t.commit(worker, park(parked, 0, None, 0)).await;
    let unblocked = t.store.unblock_runs(&[WORKFLOW], None).await;
    assert_eq!(unblocked.expect("nothing to do"), 0);
    assert_eq!(t.store.unblock_runs(&[], Some(owned)).await.expect("nothing to do"), 0);
    assert_eq!(t.record(owned).await.owner, Some(worker.worker_id));
    assert_eq!(t.record(parked).await.due_at, None);
}

async fn unblocking_one_run_leaves_the_others_blocked(t: StoreUnderTest) {
    let worker = t.worker().await;
    let (one, other) = (t.start_owned("a", worker).await, t.start_owned("b", worker).await);
    t.commit_all(worker, vec![block(one, 0), block(other, 0)]).await;
    assert_eq!(t.store.unblock_runs(&[], Some(one)).await.expect("it can be unblocked"), 1);
    assert_eq!(t.record(other).await.status, RunStatus::Blocked);
    assert_eq!(t.claim_ids(worker, 10).await, [one]);
}
