//! Runs that are over are removed after a while.

use std::time::Duration;

use super::fixture::{StoreUnderTest, WORKFLOW, close, keyed, park};
use crate::model::{Message, OutgoingMessage, Payload, RunId, Timestamp};
use crate::store::{CommitStep, Effect, NewRun, RemoveClosed, Removed, RunKey};

crate::store::conformance::list_cases!("retention":
    runs_go_when_they_are_old_enough,
    open_runs_and_other_workflows_stay,
    old_runs_go_by_batches,
    what_has_messages_on_their_way_stays,
    workflows_with_closed_runs_are_named,
);

const AGE: Duration = Duration::from_secs(3_600);

async fn remove(t: &StoreUnderTest, after: Option<(Timestamp, RunId)>, limit: u32) -> Removed {
    let request = RemoveClosed { workflow: WORKFLOW, age: AGE, after, limit };
    t.store.remove_closed(request).await.expect("runs can be removed")
}

async fn is_there(t: &StoreUnderTest, run_id: RunId) -> bool {
    let found = t.other.find_run(&RunKey::RunId(run_id)).await;
    found.expect("runs can be looked up").is_some()
}

async fn closed(t: &StoreUnderTest, workflow_id: &str) -> RunId {
    let worker = t.worker().await;
    let run_id = t.start_owned(workflow_id, worker).await;
    t.deliver(keyed(run_id, "key")).await;
    t.commit(worker, close(run_id, 0)).await;
    run_id
}

async fn runs_go_when_they_are_old_enough(t: StoreUnderTest) {
    let old = closed(&t, "a").await;
    t.clock.advance(AGE - Duration::from_micros(1));
    assert_eq!(remove(&t, None, 10).await, Removed::default());
    let young = closed(&t, "b").await;
    t.clock.advance(Duration::from_micros(1));
    assert_eq!(remove(&t, None, 10).await, Removed { runs: 1, next: None });
    assert_eq!((is_there(&t, old).await, is_there(&t, young).await), (false, true));
    assert_eq!(remove(&t, None, 10).await, Removed::default());
    // Nobody knows that the workflow id was used.
    let found = t.store.find_run(&RunKey::WorkflowId("a".into())).await;
    assert!(found.expect("runs can be looked up").is_none());
}

async fn open_runs_and_other_workflows_stay(t: StoreUnderTest) {
    let worker = t.worker().await;
    let parked = t.start_owned("a", worker).await;
    t.commit(worker, park(parked, 0, None, 0)).await;
    let run =
        NewRun { workflow: "other".into(), owner: Some(worker), ..super::fixture::new_run("b") };
    let other = run.run_id;
    t.start_all(vec![run]).await;
    t.commit(worker, close(other, 0)).await;
    t.clock.advance(AGE * 2);
    assert_eq!(remove(&t, None, 10).await, Removed::default());
    assert!(is_there(&t, parked).await && is_there(&t, other).await);
}

async fn old_runs_go_by_batches(t: StoreUnderTest) {
    let mut runs = Vec::new();
    for workflow_id in ["a", "b", "c"] {
        runs.push(closed(&t, workflow_id).await);
        t.clock.advance(Duration::from_secs(1));
    }
    t.clock.advance(AGE);
    let first = remove(&t, None, 2).await;
    assert_eq!((first.runs, first.next.map(|next| next.1)), (2, Some(runs[1])));
    assert!(is_there(&t, runs[2]).await);
    assert_eq!(remove(&t, first.next, 2).await, Removed { runs: 1, next: None });
    for run_id in runs {
        assert!(!is_there(&t, run_id).await);
    }
}

async fn what_has_messages_on_their_way_stays(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    let payload = Payload(b"news".to_vec());
    let body = Message::Signal { name: "news".into(), payload };
    let message = OutgoingMessage { to: "b".into(), body };
    let step = CommitStep { effects: vec![Effect::Send(message)], ..close(run_id, 0) };
    t.commit(worker, step).await;
    t.clock.advance(AGE);
    // It was looked at, so whoever goes on leaves it out.
    let looked = remove(&t, None, 1).await;
    assert_eq!((looked.runs, looked.next.map(|next| next.1)), (0, Some(run_id)));
    assert_eq!(remove(&t, looked.next, 1).await, Removed::default());
    t.relay(&[run_id]).await;
    assert_eq!(remove(&t, None, 10).await.runs, 1);
}

async fn workflows_with_closed_runs_are_named(t: StoreUnderTest) {
    let worker = t.worker().await;
    t.start("open").await;
    assert_eq!(t.store.closed_workflows().await.expect("they can be listed"), [""; 0]);
    for (workflow_id, workflow) in [("a", "refund"), ("b", "charge"), ("c", "refund")] {
        let run = super::fixture::new_run(workflow_id);
        let run = NewRun { workflow: workflow.into(), owner: Some(worker), ..run };
        let run_id = run.run_id;
        t.start_all(vec![run]).await;
        t.commit(worker, close(run_id, 0)).await;
    }
    let workflows = t.store.closed_workflows().await.expect("they can be listed");
    assert_eq!(workflows, ["charge", "refund"]);
}
