//! Starts of runs.

use crate::model::{Epoch, RunId, RunStatus, StepNo, WorkerId};
use crate::store::conformance::fixture::{
    LONGER_THAN_LEASE, StoreUnderTest, WORKFLOW, accepted, block, close, new_run, signal,
};
use crate::store::{
    Arrival, ArrivalOutcome, CommitOutcome, FirstArrival, NewArrival, NewRun, RunKey, StartOutcome,
    WorkerLease,
};

crate::store::conformance::list_cases!("starting":
    a_run_starts_open_unowned_and_due_now,
    what_was_given_is_kept,
    a_run_can_start_later,
    a_valid_owner_gets_the_run,
    an_owner_that_is_unknown_is_ignored,
    an_owner_whose_lease_has_run_out_is_ignored,
    an_owner_that_was_fenced_is_ignored,
    an_owner_of_another_epoch_is_ignored,
    the_same_run_id_again_is_repeated,
    a_repeated_run_id_is_not_taken_for_a_conflict,
    a_repeated_start_changes_nothing,
    an_open_workflow_id_is_taken,
    a_blocked_run_keeps_its_workflow_id,
    a_closed_run_frees_its_workflow_id,
    a_run_s_own_id_is_a_workflow_id_like_others,
    a_run_can_be_named_after_another,
    the_second_of_a_batch_with_the_same_workflow_id_is_refused,
    the_second_of_a_batch_with_the_same_run_id_is_repeated,
    a_refused_run_leaves_nothing_behind,
    a_batch_has_mixed_outcomes_in_its_order,
    an_empty_batch_does_nothing,
    a_large_batch_starts_whole,
    texts_and_bytes_of_any_kind_are_kept,
    a_run_starts_with_what_lies_in_its_inbox,
    the_key_of_a_first_arrival_is_known,
    a_refused_run_s_first_arrival_goes_nowhere,
);

async fn a_run_starts_open_unowned_and_due_now(t: StoreUnderTest) {
    let run = t.record(t.start("a").await).await;
    assert_eq!(run.status, RunStatus::Running);
    assert_eq!((run.owner, run.due_at), (None, Some(t.now())));
    assert_eq!((run.started_at, run.closed_at), (t.now(), None));
    assert_eq!((run.blocked, run.result, run.failure), (None, None, None));
    assert_eq!(run.step_no, StepNo(0));
}

async fn what_was_given_is_kept(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start("a").await;
    let record = t.record(run_id).await;
    assert_eq!((record.workflow_id.as_str(), record.workflow.as_str()), ("a", WORKFLOW));
    assert_eq!(record.state, "start");
    let [run] = &t.claim(worker, 1).await[..] else { panic!("the run is due") };
    assert_eq!((run.workflow_id.as_str(), run.workflow.as_str()), ("a", WORKFLOW));
    assert_eq!(run.snapshot, b"start");
}

async fn a_run_can_start_later(t: StoreUnderTest) {
    let worker = t.worker().await;
    let start_at = t.now() + LONGER_THAN_LEASE / 2;
    let run = NewRun { start_at: Some(start_at), ..new_run("a") };
    let run_id = run.run_id;
    t.start_all(vec![run]).await;
    assert_eq!(t.record(run_id).await.due_at, Some(start_at));
    assert_eq!(t.claim_ids(worker, 1).await, []);
    t.clock.set(start_at);
    assert_eq!(t.claim_ids(worker, 1).await, [run_id]);
}

async fn a_valid_owner_gets_the_run(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run = t.record(t.start_owned("a", worker).await).await;
    assert_eq!((run.owner, run.due_at), (Some(worker.worker_id), None));
    assert_eq!(t.claim_ids(worker, 1).await, []);
}

async fn start_with_bad_owner(t: &StoreUnderTest, owner: WorkerLease) {
    let run = NewRun { owner: Some(owner), ..new_run("a") };
    let run_id = run.run_id;
    assert_eq!(t.start_all(vec![run]).await, [StartOutcome::Started { owned: false }]);
    let run = t.record(run_id).await;
    assert_eq!((run.owner, run.due_at), (None, Some(t.now())));
}

async fn an_owner_that_is_unknown_is_ignored(t: StoreUnderTest) {
    start_with_bad_owner(&t, WorkerLease { worker_id: WorkerId(987), epoch: Epoch(1) }).await;
}

async fn an_owner_whose_lease_has_run_out_is_ignored(t: StoreUnderTest) {
    let worker = t.worker().await;
    t.clock.advance(LONGER_THAN_LEASE);
    start_with_bad_owner(&t, worker).await;
}

async fn an_owner_that_was_fenced_is_ignored(t: StoreUnderTest) {
    let worker = t.worker().await;
    t.store.fence_workers(&[worker.worker_id]).await.expect("workers can be fenced");
    start_with_bad_owner(&t, worker).await;
}

async fn an_owner_of_another_epoch_is_ignored(t: StoreUnderTest) {
    let worker = t.worker().await;
    let epoch = Epoch(worker.epoch.0 + 1);
    start_with_bad_owner(&t, WorkerLease { epoch, ..worker }).await;
}

async fn the_same_run_id_again_is_repeated(t: StoreUnderTest) {
    let run = new_run("a");
    t.start_all(vec![run.clone()]).await;
    assert_eq!(t.start_all(vec![run]).await, [StartOutcome::Repeated]);
}

async fn a_repeated_run_id_is_not_taken_for_a_conflict(t: StoreUnderTest) {
    let run = new_run("a");
    t.start_all(vec![run.clone()]).await;
    let renamed = NewRun { workflow_id: "b".into(), ..run };
    assert_eq!(t.start_all(vec![renamed]).await, [StartOutcome::Repeated]);
}

async fn a_repeated_start_changes_nothing(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run = NewRun { owner: Some(worker), ..new_run("a") };
    t.start_all(vec![run.clone()]).await;
    assert_eq!(t.commit(worker, close(run.run_id, 0)).await, CommitOutcome::Committed);
    let again = NewRun { snapshot: b"other".to_vec(), ..run.clone() };
    assert_eq!(t.start_all(vec![again]).await, [StartOutcome::Repeated]);
    let record = t.record(run.run_id).await;
    assert_eq!((record.status, record.step_no), (RunStatus::Completed, StepNo(1)));
}

async fn an_open_workflow_id_is_taken(t: StoreUnderTest) {
    let run_id = t.start("a").await;
    assert_eq!(t.start_all(vec![new_run("a")]).await, [StartOutcome::IdTaken { run_id }]);
}

async fn a_blocked_run_keeps_its_workflow_id(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    t.commit(worker, block(run_id, 0)).await;
    assert_eq!(t.start_all(vec![new_run("a")]).await, [StartOutcome::IdTaken { run_id }]);
}

async fn a_closed_run_frees_its_workflow_id(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    t.commit(worker, close(run_id, 0)).await;
    assert_ne!(t.start("a").await, run_id);
}

fn named_after_itself() -> NewRun {
    let run = new_run("");
    NewRun { workflow_id: run.run_id.to_string(), ..run }
}

async fn a_run_s_own_id_is_a_workflow_id_like_others(t: StoreUnderTest) {
    let run = named_after_itself();
    let (run_id, name) = (run.run_id, run.workflow_id.as_str());
    t.start_all(vec![run.clone()]).await;
    assert_eq!(t.start_all(vec![run.clone()]).await, [StartOutcome::Repeated]);
    assert_eq!(t.start_all(vec![new_run(name)]).await, [StartOutcome::IdTaken { run_id }]);
    assert_eq!(t.record(run_id).await.workflow_id, name);
    let find = async |name: &str| {
        let found = t.store.find_run(&RunKey::WorkflowId(name.to_owned())).await;
        found.expect("runs can be looked up").map(|record| record.run_id)
    };
    assert_eq!(find(name).await, Some(run_id));
    let shouted = name.to_uppercase();
    if shouted != name {
        assert_eq!(find(&shouted).await, None);
        let other = t.start(&shouted).await;
        assert_eq!((find(&shouted).await, find(name).await), (Some(other), Some(run_id)));
    }
    let worker = t.worker().await;
    let claimed = t.claim(worker, 10).await;
    assert!(claimed.iter().any(|run| run.run_id == run_id && run.workflow_id == name));
    t.commit(worker, close(run_id, 0)).await;
    assert_eq!(find(name).await, Some(run_id));
    assert_eq!(t.record(run_id).await.workflow_id, name);
}

async fn a_run_can_be_named_after_another(t: StoreUnderTest) {
    let worker = t.worker().await;
    let first = NewRun { owner: Some(worker), ..named_after_itself() };
    let second = new_run(&first.workflow_id);
    let run_id = first.run_id;
    assert_eq!(
        t.start_all(vec![first, second.clone()]).await,
        [StartOutcome::Started { owned: true }, StartOutcome::IdTaken { run_id }]
    );
    t.commit(worker, close(run_id, 0)).await;
    assert_eq!(t.start_all(vec![second.clone()]).await, [StartOutcome::Started { owned: false }]);
    let found = t.store.find_run(&RunKey::WorkflowId(second.workflow_id)).await;
    assert_eq!(found.expect("runs can be looked up").expect("it is there").run_id, second.run_id);
}

async fn the_second_of_a_batch_with_the_same_workflow_id_is_refused(t: StoreUnderTest) {
    let (first, second) = (new_run("a"), new_run("a"));
    let run_id = first.run_id;
    assert_eq!(
        t.start_all(vec![first, second]).await,
        [StartOutcome::Started { owned: false }, StartOutcome::IdTaken { run_id }]
    );
}

async fn the_second_of_a_batch_with_the_same_run_id_is_repeated(t: StoreUnderTest) {
    let run = new_run("a");
    assert_eq!(
        t.start_all(vec![run.clone(), run]).await,
        [StartOutcome::Started { owned: false }, StartOutcome::Repeated]
    );
}

async fn a_refused_run_leaves_nothing_behind(t: StoreUnderTest) {
    t.start("a").await;
    let refused = new_run("a");
    let run_id = refused.run_id;
    t.start_all(vec![refused]).await;
    let found = t.store.find_run(&RunKey::RunId(run_id)).await;
    assert!(found.expect("runs can be looked up").is_none());
    assert_eq!(t.deliver(signal(run_id, "x")).await, crate::store::ArrivalOutcome::Unknown);
}

async fn a_batch_has_mixed_outcomes_in_its_order(t: StoreUnderTest) {
    let worker = t.worker().await;
    let taken = t.start("taken").await;
    let repeated = new_run("repeated");
    t.start_all(vec![repeated.clone()]).await;
    let owned = NewRun { owner: Some(worker), ..new_run("owned") };
    let outcomes = t.start_all(vec![new_run("taken"), new_run("new"), repeated, owned]).await;
    assert_eq!(
        outcomes,
        [
            StartOutcome::IdTaken { run_id: taken },
            StartOutcome::Started { owned: false },
            StartOutcome::Repeated,
            StartOutcome::Started { owned: true },
        ]
    );
}

async fn an_empty_batch_does_nothing(t: StoreUnderTest) {
    assert_eq!(t.start_all(Vec::new()).await, []);
}

async fn a_large_batch_starts_whole(t: StoreUnderTest) {
    let worker = t.worker().await;
    let runs: Vec<NewRun> = (0..600).map(|n| new_run(&format!("run-{n}"))).collect();
    let mut expected: Vec<RunId> = runs.iter().map(|run| run.run_id).collect();
    let outcomes = t.start_all(runs).await;
    assert_eq!(outcomes, vec![StartOutcome::Started { owned: false }; 600]);
    let mut claimed = t.claim_ids(worker, 600).await;
    expected.sort_unstable();
    claimed.sort_unstable();
    assert_eq!(claimed, expected);
}

async fn texts_and_bytes_of_any_kind_are_kept(t: StoreUnderTest) {
    let worker = t.worker().await;
    let snapshot: Vec<u8> = (0..=255).cycle().take(3 << 19).collect();
    let id = &("o'rder \"42\" ; -- \\ 注文 🧗".to_owned() + &"x".repeat(970));
    let run = NewRun { snapshot: snapshot.clone(), state: id.clone(), ..new_run(id) };
    let run_id = run.run_id;
    t.start_all(vec![run, NewRun { snapshot: Vec::new(), ..new_run("") }]).await;
    assert_eq!(t.deliver(signal(run_id, id)).await, accepted(1));
    let claimed = t.claim(worker, 10).await;
    let odd = claimed.iter().find(|run| run.run_id == run_id).expect("it is due");
    assert_eq!((&odd.workflow_id, &odd.snapshot), (id, &snapshot));
    let empty = claimed.iter().find(|run| run.run_id != run_id).expect("it is due");
    assert_eq!((empty.workflow_id.as_str(), empty.snapshot.len()), ("", 0));
    assert_eq!(&t.record(run_id).await.state, id);
}

fn started_with(workflow_id: &str, name: &str) -> NewRun {
    let NewArrival { kind, .. } = signal(RunId::new(), name);
    let first = FirstArrival { kind, dedup_key: Some("first".into()) };
    NewRun { first: Some(first), ..new_run(workflow_id) }
}

async fn a_run_starts_with_what_lies_in_its_inbox(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run = started_with("a", "hello");
    let (run_id, plain) = (run.run_id, new_run("b"));
    let first = run.first.clone().expect("it was given").kind;
    assert_eq!(t.start_all(vec![plain, run]).await.len(), 2);
    let runs = t.claim(worker, 2).await;
    let claimed = runs.iter().find(|run| run.run_id == run_id).expect("it is due");
    assert_eq!(claimed.inbox.arrivals, [Arrival { seq: 1, kind: first }]);
    assert_eq!(claimed.inbox_count, 1);
    let plain = runs.iter().find(|run| run.run_id != run_id).expect("it is due");
    assert_eq!((plain.inbox.arrivals.len(), plain.inbox_count), (0, 0));
    // The next has the next number.
    let arrival = signal(run_id, "again");
    assert_eq!(t.deliver(arrival).await, ArrivalOutcome::Accepted { seq: 2 });
}

async fn the_key_of_a_first_arrival_is_known(t: StoreUnderTest) {
    let run = started_with("a", "hello");
    let run_id = run.run_id;
    t.start_all(vec![run]).await;
    let again = NewArrival { dedup_key: Some("first".into()), ..signal(run_id, "hello") };
    assert_eq!(t.deliver(again).await, ArrivalOutcome::Duplicate);
}

async fn a_refused_run_s_first_arrival_goes_nowhere(t: StoreUnderTest) {
    let open = t.start("a").await;
    let outcomes = t.start_all(vec![started_with("a", "hello")]).await;
    assert_eq!(outcomes, [StartOutcome::IdTaken { run_id: open }]);
    let inbox = t.store.read_inbox(open, 0, 10).await.expect("it can be read");
    assert_eq!(inbox.arrivals, []);
}
