//! Changes of single runs by users.

use super::fixture::{StoreUnderTest, activity, block, close, enqueue, keyed, new_run, park};
use crate::model::{AttributeValue, Memo, RunId, RunStatus};
use crate::store::{
    ArrivalKind, ChangeOutcome, ChangeRun, CommitStep, NewAuditEntry, NewRun, RunChange, RunKey,
};

crate::store::conformance::list_cases!("changing":
    something_arrives_with_an_entry,
    a_run_is_terminated_with_an_entry,
    a_blocked_run_goes_on_with_an_entry,
    a_run_that_is_over_is_deleted_with_its_rows,
    a_workflow_id_is_free_after_its_run_was_deleted,
);

fn change(run_id: RunId, change: RunChange) -> ChangeRun {
    let audit = NewAuditEntry {
        who: "ann".into(),
        action: "change".into(),
        reason: "why".into(),
        details: None,
    };
    ChangeRun { run_id, change, audit }
}

async fn make(t: &StoreUnderTest, run_id: RunId, what: RunChange) -> ChangeOutcome {
    t.store.change_run(change(run_id, what)).await.expect("runs can be changed")
}

async fn entries(t: &StoreUnderTest, run_id: RunId) -> usize {
    t.store.list_audit(Some(run_id), None, 100).await.expect("entries can be listed").len()
}

fn cancel(key: &str) -> RunChange {
    let kind = ArrivalKind::Cancel { reason: "why".into() };
    RunChange::Deliver { kind, dedup_key: Some(key.into()) }
}

async fn something_arrives_with_an_entry(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    t.commit(worker, park(run_id, 0, None, 0)).await;
    assert_eq!(make(&t, run_id, cancel("k")).await, ChangeOutcome::Changed);
    assert_eq!(make(&t, run_id, cancel("k")).await, ChangeOutcome::Unchanged);
    assert_eq!((t.inbox(run_id).await, entries(&t, run_id).await), (vec![1], 1));
    assert!(t.record(run_id).await.due_at.is_some(), "what has arrived wakes the run");
    assert_eq!(make(&t, run_id, cancel("other")).await, ChangeOutcome::Changed);
    assert_eq!(make(&t, RunId::new(), cancel("k")).await, ChangeOutcome::Unknown);
    assert!(t.store.terminate_run(run_id, "enough").await.expect("runs can be terminated"));
    assert_eq!(make(&t, run_id, cancel("late")).await, ChangeOutcome::Closed);
    assert_eq!(entries(&t, run_id).await, 2);
}

async fn a_run_is_terminated_with_an_entry(t: StoreUnderTest) {
    let run_id = t.start("a").await;
    let terminate = |reason: &str| RunChange::Terminate { reason: reason.into() };
    assert_eq!(make(&t, run_id, terminate("enough")).await, ChangeOutcome::Changed);
    assert_eq!(t.record(run_id).await.status, RunStatus::Terminated);
    assert_eq!(make(&t, run_id, terminate("enough")).await, ChangeOutcome::Unchanged);
    assert_eq!(make(&t, run_id, terminate("other")).await, ChangeOutcome::Closed);
    assert_eq!(make(&t, RunId::new(), terminate("enough")).await, ChangeOutcome::Unknown);
    assert_eq!(entries(&t, run_id).await, 1);
}

async fn a_blocked_run_goes_on_with_an_entry(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    assert_eq!(make(&t, run_id, RunChange::Unblock).await, ChangeOutcome::Unchanged);
    t.commit(worker, block(run_id, 0)).await;
    assert_eq!(make(&t, run_id, RunChange::Unblock).await, ChangeOutcome::Changed);
    let run = t.record(run_id).await;
    assert_eq!((run.status, run.due_at.is_some()), (RunStatus::Running, true));
    assert_eq!(make(&t, RunId::new(), RunChange::Unblock).await, ChangeOutcome::Unknown);
    assert!(t.store.terminate_run(run_id, "enough").await.expect("runs can be terminated"));
    assert_eq!(make(&t, run_id, RunChange::Unblock).await, ChangeOutcome::Closed);
    assert_eq!(entries(&t, run_id).await, 1);
}

async fn a_run_that_is_over_is_deleted_with_its_rows(t: StoreUnderTest) {
    let worker = t.worker().await;
    let attributes = [("customer".to_owned(), AttributeValue::Keyword("c-17".into()))];
    let run = NewRun {
        attributes: attributes.into_iter().collect(),
        memo: [("a", 1)].into_iter().collect::<Memo>(),
        owner: Some(worker),
        ..new_run("a")
    };
    let run_id = run.run_id;
    t.start_all(vec![run.clone()]).await;
    t.deliver(keyed(run_id, "key")).await;
    let step = CommitStep {
        effects: enqueue(vec![activity(0)]),
        keep_history: Some(5),
        ..park(run_id, 0, None, 9)
    };
    t.commit(worker, step).await;
    assert_eq!(make(&t, run_id, RunChange::Delete).await, ChangeOutcome::Open);
    assert_eq!(entries(&t, run_id).await, 0);
    assert!(t.store.terminate_run(run_id, "enough").await.expect("runs can be terminated"));
    assert_eq!(make(&t, run_id, RunChange::Delete).await, ChangeOutcome::Changed);
    assert_eq!(make(&t, run_id, RunChange::Delete).await, ChangeOutcome::Unknown);
    let found = t.other.find_run(&RunKey::RunId(run_id)).await.expect("runs can be looked up");
    assert!(found.is_none());
    let history = t.store.list_history(run_id).await.expect("states can be listed");
    assert_eq!((history.len(), entries(&t, run_id).await), (0, 1));
    // Another with the same ids has nothing of it.
    t.start_all(vec![NewRun { attributes: Default::default(), memo: Memo::new(), ..run }]).await;
    let record = t.record(run_id).await;
    assert!(record.attributes.is_empty() && record.memo.is_empty());
    assert_eq!(t.inbox(run_id).await, Vec::<i64>::new());
    assert_eq!(t.deliver(keyed(run_id, "key")).await, super::fixture::accepted(1));
}

async fn a_workflow_id_is_free_after_its_run_was_deleted(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    t.commit(worker, close(run_id, 0)).await;
    assert_eq!(make(&t, run_id, RunChange::Delete).await, ChangeOutcome::Changed);
    let found = t.store.find_run(&RunKey::WorkflowId("a".into())).await;
    assert!(found.expect("runs can be looked up").is_none());
    t.start("a").await;
}
