//! Queries about runs.

use std::time::Duration;

use super::fixture::{
    StoreUnderTest, accepted, block, close, close_as, keep, new_run, park, signal,
};
use crate::filter::{self, Column, Filter};
use crate::model::{DefinitionHash, Payload, RunId, RunStatus};
use crate::store::{
    ArrivalKind, CommitOutcome, Ending, FoundEnding, NewArrival, NewRun, RunCount, RunKey, RunQuery,
};

crate::store::conformance::list_cases!("queries":
    a_snapshot_is_that_of_the_last_commit,
    an_unknown_run_is_not_found,
    an_open_run_is_found_by_its_workflow_id,
    the_open_run_is_preferred_to_closed_ones,
    the_open_run_is_preferred_whatever_the_order_of_their_ids,
    the_last_closed_run_is_found_if_none_is_open,
    the_last_run_is_the_last_by_the_database_s_clock,
    the_last_run_is_the_last_whoever_named_it,
    runs_are_listed_newest_first,
    no_more_than_the_limit_is_listed,
    a_list_goes_on_behind_a_run,
    listing_goes_by_workflow_and_status,
    counting_goes_by_status,
    counting_goes_by_workflow,
    nothing_counts_as_nothing,
    what_no_database_keeps_names_nothing,
    another_connection_sees_what_was_committed,
    endings_are_found_in_the_order_asked,
    a_terminated_run_has_an_ending,
    megabytes_are_kept,
);

async fn find(t: &StoreUnderTest, workflow_id: &str) -> Option<RunId> {
    let key = RunKey::WorkflowId(workflow_id.into());
    t.store.find_run(&key).await.expect("runs can be looked up").map(|run| run.run_id)
}

async fn list(t: &StoreUnderTest, filter: Filter, limit: u32) -> Vec<RunId> {
    let runs = t
        .store
        .list_runs(RunQuery { limit, ..RunQuery::of(&filter) })
        .await
        .expect("runs can be listed");
    runs.iter().map(|run| run.run_id).collect()
}

async fn an_unknown_run_is_not_found(t: StoreUnderTest) {
    for workflow_id in ["a", "", "a\0", &"a".repeat(100_000)] {
        assert_eq!(find(&t, workflow_id).await, None);
    }
    let found = t.store.find_run(&RunKey::RunId(RunId::new())).await;
    assert!(found.expect("runs can be looked up").is_none());
}

async fn an_open_run_is_found_by_its_workflow_id(t: StoreUnderTest) {
    let run_id = t.start("a").await;
    t.start("b").await;
    assert_eq!(find(&t, "a").await, Some(run_id));
}

async fn the_open_run_is_preferred_to_closed_ones(t: StoreUnderTest) {
    let worker = t.worker().await;
    // Of two runs, the one with the higher id counts as started last.
    let mut runs = [new_run("a"), new_run("a")];
    runs.sort_by_key(|run| run.run_id);
    let [open, closed] = runs;
    let run_id = open.run_id;
    t.start_all(vec![NewRun { owner: Some(worker), ..closed.clone() }]).await;
    t.commit(worker, close(closed.run_id, 0)).await;
    t.start_all(vec![open]).await;
    assert_eq!(find(&t, "a").await, Some(run_id));
}

/// Run ids contain clients' times, which may differ.
async fn the_open_run_is_preferred_whatever_the_order_of_their_ids(t: StoreUnderTest) {
    let worker = t.worker().await;
    let mut ids = [RunId::new(), RunId::new(), RunId::new(), RunId::new()];
    ids.sort_unstable();
    for (workflow_id, closed, open) in [("a", ids[0], ids[1]), ("b", ids[3], ids[2])] {
        let ended = NewRun { run_id: closed, owner: Some(worker), ..new_run(workflow_id) };
        t.start_all(vec![ended]).await;
        t.commit(worker, close(closed, 0)).await;
        t.start_all(vec![NewRun { run_id: open, ..new_run(workflow_id) }]).await;
        assert_eq!(find(&t, workflow_id).await, Some(open));
    }
}

async fn the_last_closed_run_is_found_if_none_is_open(t: StoreUnderTest) {
    let worker = t.worker().await;
    let mut last = None;
    for _ in 0..3 {
        let run_id = t.start_owned("a", worker).await;
        t.commit(worker, close(run_id, 0)).await;
        last = last.max(Some(run_id));
    }
    assert_eq!(find(&t, "a").await, last);
}

/// A workflow id is first a run's own id and then given to other runs, or the other way round.
async fn the_last_run_is_the_last_whoever_named_it(t: StoreUnderTest) {
    let worker = t.worker().await;
    for is_own_first in [true, false] {
        let own = RunId::new();
        let name = own.to_string();
        let mut run_ids = [own, RunId::new()];
        if !is_own_first {
            run_ids.reverse();
        }
        for run_id in run_ids {
            t.clock.advance(Duration::from_secs(1));
            t.start_all(vec![NewRun { run_id, owner: Some(worker), ..new_run(&name) }]).await;
            t.commit(worker, close(run_id, 0)).await;
            assert_eq!(find(&t, &name).await, Some(run_id));
        }
    }
}

async fn runs_are_listed_newest_first(t: StoreUnderTest) {
    let mut run_ids = Vec::new();
    for id in ["a", "b", "c"] {
        run_ids.push(t.start(id).await);
    }
    run_ids.sort_unstable_by(|one, other| other.cmp(one));
    assert_eq!(list(&t, Filter::all(), 10).await, run_ids);
}

async fn no_more_than_the_limit_is_listed(t: StoreUnderTest) {
    t.start_all((0..5).map(|n| new_run(&n.to_string())).collect()).await;
    assert_eq!(list(&t, Filter::all(), 3).await.len(), 3);
    assert_eq!(list(&t, Filter::all(), 0).await, []);
}

/// Whether or not that run matches or exists.
async fn a_list_goes_on_behind_a_run(t: StoreUnderTest) {
    let parked = start_various(&t).await;
    let filter = filter(None, Some(RunStatus::Completed));
    let newest_first = list(&t, filter.clone(), 10).await;
    let behind = async |run_id, limit| {
        let after = Some(RunId::into(run_id));
        let query = RunQuery { after, limit, ..RunQuery::of(&filter) };
        let runs = t.store.list_runs(query).await;
        let runs = runs.expect("runs can be listed");
        runs.iter().map(|run| run.run_id).collect::<Vec<_>>()
    };
    assert_eq!(behind(newest_first[0], 10).await, newest_first[1..]);
    assert_eq!(behind(newest_first[0], 1).await, newest_first[1..2]);
    assert_eq!(behind(newest_first[2], 10).await, []);
    let is_behind_parked = |run_id: &RunId| *run_id < parked;
    let expected: Vec<_> = newest_first.iter().copied().filter(is_behind_parked).collect();
    assert_eq!(behind(parked, 10).await, expected);
    assert_eq!(behind(RunId::new(), 10).await, newest_first);
}

/// Two completed runs and a parked one of one workflow, and a completed one of another.
async fn start_various(t: &StoreUnderTest) -> RunId {
    let worker = t.worker().await;
    let mut parked = None;
    for (id, workflow) in [("a", "one"), ("b", "one"), ("c", "two"), ("d", "one")] {
        let run = NewRun { owner: Some(worker), workflow: workflow.into(), ..new_run(id) };
        let run_id = run.run_id;
        t.start_all(vec![run]).await;
        if id == "d" {
            t.commit(worker, park(run_id, 0, None, 0)).await;
            parked = Some(run_id);
        } else {
            t.commit(worker, close(run_id, 0)).await;
        }
    }
    parked.expect("it was started")
}

fn filter(workflow: Option<&str>, status: Option<RunStatus>) -> Filter {
    let by_workflow = workflow.map(|workflow| filter::workflow().equals(workflow));
    let by_status = status.map(|status| filter::status().equals(status));
    by_workflow.unwrap_or_default() & by_status.unwrap_or_default()
}

async fn listing_goes_by_workflow_and_status(t: StoreUnderTest) {
    let parked = start_various(&t).await;
    let completed = Some(RunStatus::Completed);
    assert_eq!(list(&t, filter(Some("one"), None), 10).await.len(), 3);
    assert_eq!(list(&t, filter(None, completed), 10).await.len(), 3);
    assert_eq!(list(&t, filter(Some("one"), completed), 10).await.len(), 2);
    assert_eq!(list(&t, filter(Some("one"), Some(RunStatus::Running)), 10).await, [parked]);
    assert_eq!(list(&t, filter(Some("three"), None), 10).await, []);
}

async fn count(t: &StoreUnderTest, filter: Filter) -> Vec<(RunStatus, u64)> {
    let counts = t.store.count_runs(&filter, Some(Column::Status)).await;
    let status = |count: RunCount| {
        let status = RunStatus::parse(&count.key.expect("every run has a status"));
        (status.expect("it is one"), count.runs)
    };
    counts.expect("runs can be counted").into_iter().map(status).collect()
}

async fn counting_goes_by_status(t: StoreUnderTest) {
    let worker = t.worker().await;
    let (blocked, failed) = (t.start_owned("a", worker).await, t.start_owned("b", worker).await);
    let failing = close_as(failed, 0, RunStatus::Failed, None, Some("why"));
    t.commit_all(worker, vec![block(blocked, 0), failing]).await;
    t.start_all(vec![new_run("c"), new_run("d")]).await;
    assert_eq!(
        count(&t, Filter::all()).await,
        [(RunStatus::Blocked, 1), (RunStatus::Failed, 1), (RunStatus::Running, 2)]
    );
    assert_eq!(count(&t, filter(None, Some(RunStatus::Running))).await, [(RunStatus::Running, 2)]);
}

async fn counting_goes_by_workflow(t: StoreUnderTest) {
    start_various(&t).await;
    assert_eq!(
        count(&t, filter(Some("one"), None)).await,
        [(RunStatus::Completed, 2), (RunStatus::Running, 1)]
    );
}

async fn nothing_counts_as_nothing(t: StoreUnderTest) {
    assert_eq!(count(&t, Filter::all()).await, []);
}

async fn another_connection_sees_what_was_committed(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    t.commit(worker, close(run_id, 0)).await;
    let run = t.other.find_run(&RunKey::RunId(run_id)).await.expect("runs can be looked up");
    assert_eq!(run.expect("it is there").status, RunStatus::Completed);
}

async fn endings_are_found_in_the_order_asked(t: StoreUnderTest) {
    let worker = t.worker().await;
    let (open, done) = (t.start_owned("a", worker).await, t.start_owned("b", worker).await);
    let (failed, blocked) = (t.start_owned("c", worker).await, t.start_owned("d", worker).await);
    let unknown = RunId::new();
    let failure = close_as(failed, 0, RunStatus::Failed, None, Some("too heavy"));
    t.commit_all(worker, vec![close(done, 0), failure, block(blocked, 0)]).await;
    let asked = [failed, unknown, open, done, blocked, done];
    let found = t.store.find_endings(&asked).await.expect("endings can be looked up");
    let completed = FoundEnding::Closed(Ending {
        status: RunStatus::Completed,
        result: Some(Payload(b"result".to_vec())),
        failure: None,
    });
    let failed = FoundEnding::Closed(Ending {
        status: RunStatus::Failed,
        result: None,
        failure: Some("too heavy".to_owned()),
    });
    let open = FoundEnding::Open;
    assert_eq!(
        found,
        [failed, FoundEnding::Unknown, open.clone(), completed.clone(), open, completed]
    );
    let many: Vec<RunId> = (0..600).map(|_| done).chain([unknown]).collect();
    let found = t.store.find_endings(&many).await.expect("endings can be looked up");
    assert_eq!((found.len(), found.last()), (601, Some(&FoundEnding::Unknown)));
    assert!(t.store.find_endings(&[]).await.expect("nothing can be looked up").is_empty());
}

async fn a_terminated_run_has_an_ending(t: StoreUnderTest) {
    let run_id = t.start("a").await;
    t.store.terminate_run(run_id, "enough").await.expect("runs can be terminated");
    let found = t.store.find_endings(&[run_id]).await.expect("endings can be looked up");
    assert_eq!(found, [FoundEnding::Closed(Ending::terminated("enough"))]);
}

async fn the_last_run_is_the_last_by_the_database_s_clock(t: StoreUnderTest) {
    let worker = t.worker().await;
    // The clock of the client with the first run is ahead.
    let mut runs = [new_run("a"), new_run("a")];
    runs.sort_by_key(|run| std::cmp::Reverse(run.run_id));
    let last = runs[1].run_id;
    for run in runs {
        let run_id = run.run_id;
        t.start_all(vec![NewRun { owner: Some(worker), ..run }]).await;
        t.commit(worker, close(run_id, 0)).await;
        t.clock.advance(Duration::from_secs(1));
    }
    assert_eq!(find(&t, "a").await, Some(last));
}

async fn what_no_database_keeps_names_nothing(t: StoreUnderTest) {
    t.start("a").await;
    let filter = filter::workflow().equals("or\0der");
    assert_eq!(list(&t, filter.clone(), 10).await, []);
    assert_eq!(count(&t, filter).await, []);
    let found = t.store.find_definition("or\0der", DefinitionHash(1)).await;
    assert_eq!(found.expect("definitions can be looked up"), None);
    assert_eq!(find(&t, "a\0").await, None);
}

async fn a_snapshot_is_that_of_the_last_commit(t: StoreUnderTest) {
    let worker = t.worker().await;
    let snapshot = async |run_id| t.other.find_snapshot(run_id).await.expect("it can be read");
    assert_eq!(snapshot(RunId::new()).await, None);
    let run_id = t.start_owned("x", worker).await;
    assert_eq!(snapshot(run_id).await, Some(b"start".to_vec()));
    assert_eq!(t.commit(worker, keep(run_id, 0, "one")).await, CommitOutcome::Committed);
    assert_eq!(snapshot(run_id).await, Some(b"one".to_vec()));
    assert_eq!(t.commit(worker, close(run_id, 1)).await, CommitOutcome::Committed);
    assert!(snapshot(run_id).await.is_some(), "the run is still there");
}

/// Arguments, states, arrivals and results of eight megabytes each.
async fn megabytes_are_kept(t: StoreUnderTest) {
    let bytes = |fill: u8| vec![fill; 8 << 20];
    let worker = t.worker().await;
    let run = NewRun {
        arguments: Payload(bytes(1)),
        snapshot: bytes(2),
        owner: Some(worker),
        ..new_run("large")
    };
    let run_id = run.run_id;
    t.start_all(vec![run]).await;
    let payload = Payload(bytes(3));
    let kind = ArrivalKind::Signal { name: "large".to_owned(), payload: payload.clone() };
    let arrival = NewArrival { kind: kind.clone(), ..signal(run_id, "large") };
    assert_eq!(t.deliver(arrival).await, accepted(1));
    let read = t.store.read_inbox(run_id, 0, 10).await.expect("it can be read");
    assert!(matches!(&read.arrivals[..], [arrival] if arrival.kind == kind));
    let snapshot = t.store.find_snapshot(run_id).await.expect("it can be read");
    assert!(snapshot == Some(bytes(2)));
    t.store.release_worker(worker).await.expect("a worker can leave");
    let worker = t.worker().await;
    let [claimed] = &t.claim(worker, 1).await[..] else { panic!("the run is due") };
    assert!(claimed.snapshot == bytes(2) && claimed.inbox.arrivals[0].kind == kind);
    let closing = close_as(run_id, 0, RunStatus::Completed, Some(payload.clone()), None);
    assert_eq!(t.commit(worker, closing).await, CommitOutcome::Committed);
    assert!(t.record(run_id).await.result == Some(payload));
}
