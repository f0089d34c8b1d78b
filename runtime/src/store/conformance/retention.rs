//! Deleting runs that have been closed for long.

use std::time::Duration;

use super::fixture::{StoreUnderTest, WORKFLOW, close, keep, keyed, new_run, park};
use super::promises::{awaits, value};
use super::runs::chains::continued;
use crate::model::{
    ChildStart, DefinitionHash, Message, OutgoingMessage, ParentClose, Payload, PromiseKey,
    PromiseToken, RunId, RunStatus, Terms, Timestamp,
};
use crate::store::{
    ArrivalOutcome, ClosedPart, CommitStep, Effect, NewRun, RemoveClosed, RemovePromises, Removed,
    RemovedPromises, RunKey, StripClosed, Stripped,
};

crate::store::conformance::list_cases!("retention":
    runs_go_when_they_are_old_enough,
    open_runs_and_other_workflows_stay,
    old_runs_go_by_batches,
    what_has_messages_on_their_way_stays,
    the_closed_runs_of_an_open_chain_go,
    workflows_with_closed_runs_are_named,
    payloads_go_before_their_runs,
    keys_go_before_their_runs,
    a_child_keeps_its_payloads_while_its_parent_is_open,
    shared_promises_go_once_nobody_waits,
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
    // The run is kept, and the next page begins behind it.
    let looked = remove(&t, None, 1).await;
    assert_eq!((looked.runs, looked.next.map(|next| next.1)), (0, Some(run_id)));
    assert_eq!(remove(&t, looked.next, 1).await, Removed::default());
    t.relay(&[run_id]).await;
    assert_eq!(remove(&t, None, 10).await.runs, 1);
}

/// A chain may never end, so its runs go one by one.
async fn the_closed_runs_of_an_open_chain_go(t: StoreUnderTest) {
    let mut worker = t.worker().await;
    let mut runs = vec![t.start_owned("a", worker).await];
    for at in 0..3 {
        let next = new_run("a");
        runs.push(next.run_id);
        t.commit(worker, continued(runs[at], 0, next)).await;
        t.clock.advance(AGE / 2);
        worker = t.worker().await;
        t.claim(worker, 1).await;
    }
    assert_eq!(remove(&t, None, 10).await.runs, 2);
    let chain = async |first| {
        let listed = t.store.list_chain(first, None, 10).await.expect("chains can be listed");
        listed.iter().map(|run| (run.run_id, run.place)).collect::<Vec<_>>()
    };
    let left = [(runs[2], 2), (runs[3], 3)];
    assert_eq!(chain(runs[0]).await, left);
    let kin = t.store.find_kin(runs[2]).await.expect("it can be read").expect("it is there");
    assert_eq!((kin.first_run_id, kin.previous_run_id), (runs[0], Some(runs[1])));
    let last = t.store.find_last_runs(&runs[..1]).await.expect("runs can be looked up");
    assert_eq!(last[0].map(|last| (last.run_id, last.status)), Some((runs[3], RunStatus::Running)));
    t.commit(worker, close(runs[3], 0)).await;
    t.clock.advance(AGE);
    assert_eq!(remove(&t, None, 10).await.runs, 2);
    assert_eq!(chain(runs[0]).await, []);
}

async fn strip(
    t: &StoreUnderTest,
    part: ClosedPart,
    after: Option<(Timestamp, RunId)>,
) -> Stripped {
    let request = StripClosed { part, workflow: WORKFLOW, age: AGE, after, limit: 2 };
    t.store.strip_closed(request).await.expect("runs can be stripped")
}

async fn payloads_go_before_their_runs(t: StoreUnderTest) {
    let worker = t.worker().await;
    let mut runs = Vec::new();
    for workflow_id in ["a", "b", "c"] {
        let terms = Terms {
            run_timeout: Some(AGE * 9),
            last_result: Some(Payload(b"before".to_vec())),
            ..Terms::default()
        };
        let terms = Some(Box::new(terms.begin(t.now())));
        let run = NewRun { terms, owner: Some(worker), ..new_run(workflow_id) };
        let run_id = run.run_id;
        t.start_all(vec![run]).await;
        let kept = CommitStep { keep_history: Some(5), ..keep(run_id, 0, "kept") };
        t.commit(worker, kept).await;
        t.commit(worker, close(run_id, 1)).await;
        runs.push(run_id);
        t.clock.advance(Duration::from_secs(1));
    }
    let open = t.start("d").await;
    let payloads = ClosedPart::Payloads;
    assert_eq!(strip(&t, payloads, None).await, Stripped::default(), "they are too young");
    t.clock.advance(AGE);
    let first = strip(&t, payloads, None).await;
    assert_eq!(
        (first.runs, first.last.map(|last| last.1), first.has_more),
        (2, Some(runs[1]), true)
    );
    let rest = strip(&t, payloads, first.last).await;
    assert_eq!((rest.runs, rest.last.map(|last| last.1), rest.has_more), (1, Some(runs[2]), false));
    assert_eq!(strip(&t, payloads, None).await.runs, 0, "they have no more");
    for run_id in runs {
        let details = t.other.find_details(run_id).await.expect("it can be read");
        let details = details.expect("the run is there");
        assert_eq!((details.arguments, details.run.result), (None, None));
        assert_eq!(details.run.status, RunStatus::Completed);
        assert!(details.snapshot.is_empty());
        assert_eq!(t.other.list_history(run_id).await.expect("it can be read"), []);
        let terms = t.other.find_terms(run_id).await.expect("it can be read");
        assert_eq!(terms.expect("it has some").last_result, None);
    }
    let details = t.other.find_details(open).await.expect("it can be read");
    assert!(details.is_some_and(|details| details.arguments.is_some()));
    assert_eq!(remove(&t, None, 9).await.runs, 3);
}

async fn keys_go_before_their_runs(t: StoreUnderTest) {
    let run_id = closed(&t, "a").await;
    assert_eq!(strip(&t, ClosedPart::Keys, None).await.runs, 0);
    assert_eq!(t.deliver(keyed(run_id, "key")).await, ArrivalOutcome::Duplicate);
    t.clock.advance(AGE);
    assert_eq!(strip(&t, ClosedPart::Keys, None).await.runs, 1);
    assert_eq!(t.deliver(keyed(run_id, "key")).await, ArrivalOutcome::Closed);
    assert_eq!(strip(&t, ClosedPart::Keys, None).await.runs, 0);
    let details = t.store.find_details(run_id).await.expect("it can be read");
    assert!(details.is_some_and(|details| details.arguments.is_some()));
}

async fn a_child_keeps_its_payloads_while_its_parent_is_open(t: StoreUnderTest) {
    let worker = t.worker().await;
    let parent = t.start_owned("parent", worker).await;
    let child = ChildStart {
        run_id: RunId::new(),
        workflow: WORKFLOW.into(),
        arguments: Payload(vec![7]),
        snapshot: b"child".to_vec(),
        state: "born".into(),
        definition: DefinitionHash(7),
        on_parent_close: ParentClose::Abandon,
        awaited_by: None,
        options: None,
    };
    let child_id = child.run_id;
    let body = Message::Start(Box::new(child));
    let start = Effect::Send(OutgoingMessage { to: "child".into(), body });
    t.send(worker, parent, 0, vec![start]).await;
    t.relay(&[parent]).await;
    assert_eq!(t.claim_ids(worker, 9).await, [child_id]);
    t.commit(worker, close(child_id, 0)).await;
    t.relay(&[child_id]).await;
    t.clock.advance(AGE);
    let looked = strip(&t, ClosedPart::Payloads, None).await;
    assert_eq!((looked.runs, looked.last.map(|last| last.1)), (0, Some(child_id)));
    let worker = t.worker().await;
    t.store.terminate_run(parent, "enough").await.expect("it can be terminated");
    t.relay(&[parent]).await;
    assert!(t.claim_ids(worker, 9).await.is_empty());
    assert_eq!(strip(&t, ClosedPart::Payloads, None).await.runs, 1);
}

async fn shared_promises_go_once_nobody_waits(t: StoreUnderTest) {
    let worker = t.worker().await;
    let token = |name: &str| PromiseToken::shared(name);
    for name in ["a", "b", "c"] {
        t.complete(&token(name), value("yes")).await;
    }
    let run_id = t.start_owned("run", worker).await;
    // One that is open, and one of the run.
    t.tell(worker, run_id, 0, vec![awaits(&token("open"), 0)]).await;
    let own = PromiseToken::of_workflow_id("order", "run", "own");
    t.complete(&own, value("yes")).await;
    let remove = async |after: Option<&PromiseKey>| {
        let request = RemovePromises { age: AGE, after, limit: 2 };
        t.store.remove_shared_promises(request).await.expect("promises can be removed")
    };
    assert_eq!(remove(None).await.promises, 0, "they are too young");
    t.clock.advance(AGE);
    let first = remove(None).await;
    assert_eq!((first.promises, first.next.as_ref()), (2, Some(token("b").key())));
    let second = remove(first.next.as_ref()).await;
    assert_eq!((second.promises, second.next.as_ref()), (1, Some(token("open").key())));
    assert_eq!(remove(second.next.as_ref()).await, RemovedPromises::default());
    for name in ["a", "b", "c"] {
        assert_eq!(t.promise(&token(name)).await, None);
    }
    assert!(t.promise(&token("open")).await.is_some());
    assert!(t.promise(&own).await.is_some());
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
