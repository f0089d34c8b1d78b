//! Runs that follow each other in a chain.

use crate::model::{Link, Payload, RunId, RunStatus};
use crate::store::conformance::fixture::{
    StoreUnderTest, WORKFLOW, accepted, close, keyed, new_run, signal,
};
use crate::store::conformance::messages::to;
use crate::store::{
    ArrivalKind, ArrivalOutcome, CommitOutcome, CommitStep, Disposition, LastRun, NewRun,
    RemoveClosed, StartOutcome, Successor, WorkerLease,
};

crate::store::conformance::list_cases!("chains":
    a_run_is_followed_by_the_next_in_one_commit,
    a_successor_is_due_at_its_time,
    a_lost_step_starts_no_successor,
    what_is_unread_goes_over_in_order,
    a_chain_is_listed_in_its_order,
    the_last_runs_of_chains_are_found_by_the_first,
    a_successor_sends_after_the_run_before_it,
);

/// The end of a run that continues as `next`.
pub(in crate::store::conformance) fn continued(
    run_id: RunId,
    expected: i64,
    next: NewRun,
) -> CommitStep {
    let successor = Some(Box::new(Successor { run: next, link: Link::Continued }));
    let disposition = Disposition::Close {
        status: RunStatus::ContinuedAsNew,
        result: None,
        failure: None,
        successor,
    };
    CommitStep { disposition, ..close(run_id, expected) }
}

async fn follow(t: &StoreUnderTest, worker: WorkerLease, run_id: RunId, id: &str) -> RunId {
    let next = new_run(id);
    let next_id = next.run_id;
    assert_eq!(t.commit(worker, continued(run_id, 0, next)).await, CommitOutcome::Committed);
    next_id
}

async fn a_run_is_followed_by_the_next_in_one_commit(t: StoreUnderTest) {
    let worker = t.worker().await;
    let first = t.start_owned("a", worker).await;
    let next = NewRun { arguments: Payload(vec![9]), state: "anew".into(), ..new_run("a") };
    let next_id = next.run_id;
    assert_eq!(t.commit(worker, continued(first, 0, next)).await, CommitOutcome::Committed);
    let before = t.record(first).await;
    assert_eq!((before.status, before.closed_at), (RunStatus::ContinuedAsNew, Some(t.now())));
    let run = t.record(next_id).await;
    assert_eq!((run.status, run.owner, run.step_no.0), (RunStatus::Running, None, 0));
    assert_eq!((&*run.workflow_id, &*run.state), ("a", "anew"));
    let taken = t.start_all(vec![new_run("a")]).await;
    assert_eq!(taken, [StartOutcome::IdTaken { run_id: next_id }]);
    let details =
        t.store.find_details(next_id).await.expect("it can be read").expect("it is there");
    assert_eq!(details.arguments, Some(Payload(vec![9])));
    let claimed = t.claim(worker, 9).await;
    assert_eq!(claimed.iter().map(|run| run.run_id).collect::<Vec<_>>(), [next_id]);
    assert_eq!((&*claimed[0].workflow, claimed[0].inbox_count), (WORKFLOW, 0));
}

async fn a_successor_is_due_at_its_time(t: StoreUnderTest) {
    let worker = t.worker().await;
    let first = t.start_owned("a", worker).await;
    let later = t.now() + std::time::Duration::from_secs(60);
    let next = NewRun { start_at: Some(later), ..new_run("a") };
    let next_id = next.run_id;
    let step = continued(first, 0, next);
    assert_eq!(t.commit(worker, step).await, CommitOutcome::Committed);
    assert!(t.claim_ids(worker, 9).await.is_empty(), "it is not due");
    t.clock.advance(std::time::Duration::from_secs(60));
    let worker = t.worker().await;
    assert_eq!(t.claim_ids(worker, 9).await, [next_id]);
}

async fn a_lost_step_starts_no_successor(t: StoreUnderTest) {
    let worker = t.worker().await;
    let first = t.start_owned("a", worker).await;
    let next = new_run("a");
    let next_id = next.run_id;
    let step = continued(first, 0, next);
    assert_eq!(t.commit(worker, step.clone()).await, CommitOutcome::Committed);
    let again = continued(first, 0, new_run("a"));
    assert_eq!(t.commit(worker, again).await, CommitOutcome::Lost, "it is closed");
    assert_eq!(t.commit(worker, step).await, CommitOutcome::Lost, "it was committed before");
    let chain = t.store.list_chain(first, None, 10).await.expect("chains can be listed");
    assert_eq!(chain.iter().map(|run| run.run_id).collect::<Vec<_>>(), [first, next_id]);
}

async fn what_is_unread_goes_over_in_order(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    let outcome = crate::machine::OperationOutcome::Unknown;
    let outcome = ArrivalKind::Outcome { handle: crate::model::Handle(3), outcome };
    let cancel = ArrivalKind::Cancel { reason: "enough".into() };
    let one = signal(run_id, "one");
    let arrival = |kind| crate::store::NewArrival { kind, ..one.clone() };
    let arrivals = vec![
        one.clone(),
        keyed(run_id, "key"),
        arrival(outcome),
        arrival(cancel.clone()),
        signal(run_id, "two"),
    ];
    let outcomes = t.deliver_all(arrivals).await;
    assert_eq!(outcomes, [accepted(1), accepted(2), accepted(3), accepted(4), accepted(5)]);
    let next = new_run("a");
    let next_id = next.run_id;
    let step = CommitStep { consumed: vec![1], ..continued(run_id, 0, next) };
    assert_eq!(t.commit(worker, step).await, CommitOutcome::Committed);
    assert!(t.inbox(run_id).await.is_empty());
    let claimed = t.claim(worker, 1).await;
    let [run] = &claimed[..] else { panic!("it is due") };
    assert_eq!((run.run_id, run.inbox_count), (next_id, 3));
    let arrived: Vec<_> =
        run.inbox.arrivals.iter().map(|arrival| (arrival.seq, arrival.kind.clone())).collect();
    let (first, second) = (keyed(run_id, "key").kind, signal(run_id, "two").kind);
    assert_eq!(arrived, [(1, first), (2, cancel), (3, second)]);
    assert_eq!(t.deliver(keyed(next_id, "key")).await, ArrivalOutcome::Duplicate);
    assert_eq!(t.deliver(signal(next_id, "three")).await, accepted(4));
}

async fn a_chain_is_listed_in_its_order(t: StoreUnderTest) {
    let worker = t.worker().await;
    let first = t.start_owned("a", worker).await;
    let mut runs = vec![first];
    for _ in 0..3 {
        let next = follow(&t, worker, runs[runs.len() - 1], "a").await;
        assert_eq!(t.claim_ids(worker, 1).await, [next]);
        runs.push(next);
    }
    let listed = t.store.list_chain(first, None, 10).await.expect("chains can be listed");
    assert_eq!(listed.iter().map(|run| run.run_id).collect::<Vec<_>>(), runs);
    assert_eq!(listed.iter().map(|run| run.place).collect::<Vec<_>>(), [0, 1, 2, 3]);
    let links: Vec<_> = listed.iter().map(|run| run.link).collect();
    assert_eq!(links, [None, Some(Link::Continued), Some(Link::Continued), Some(Link::Continued)]);
    let part = t.store.list_chain(first, Some(0), 2).await.expect("chains can be listed");
    assert_eq!(part.iter().map(|run| run.run_id).collect::<Vec<_>>(), runs[1..3]);
    let kin = t.store.find_kin(runs[2]).await.expect("it can be read").expect("it is there");
    assert_eq!((kin.first_run_id, kin.previous_run_id), (first, Some(runs[1])));
    assert_eq!((kin.link, kin.next_run_id), (Some(Link::Continued), Some(runs[3])));
    let kin = t.store.find_kin(first).await.expect("it can be read").expect("it is there");
    assert_eq!((kin.first_run_id, kin.previous_run_id, kin.link), (first, None, None));
    assert!(t.store.find_kin(RunId::new()).await.expect("it can be read").is_none());
}

async fn the_last_runs_of_chains_are_found_by_the_first(t: StoreUnderTest) {
    let worker = t.worker().await;
    let first = t.start_owned("a", worker).await;
    let second = follow(&t, worker, first, "a").await;
    assert_eq!(t.claim_ids(worker, 1).await, [second]);
    let third = follow(&t, worker, second, "a").await;
    let alone = t.start_owned("b", worker).await;
    t.clock.advance(std::time::Duration::from_secs(1));
    t.commit(worker, close(alone, 0)).await;
    let find = async |first_run_ids: &[RunId]| {
        t.store.find_last_runs(first_run_ids).await.expect("they can be found")
    };
    let open = Some(LastRun { run_id: third, status: RunStatus::Running, closed_at: None });
    let closed = Some(t.now());
    let over = Some(LastRun { run_id: alone, status: RunStatus::Completed, closed_at: closed });
    assert_eq!(find(&[alone, RunId::new(), first, alone]).await, [over, None, open, over]);
    assert_eq!(find(&[second]).await.len(), 1, "it has an answer, if not a first run");
    assert_eq!(find(&[]).await, []);
    let many: Vec<RunId> = (0..1_200).map(|_| RunId::new()).chain([first]).collect();
    let found = find(&many).await;
    assert_eq!((found.len(), found.last()), (1_201, Some(&open)));
    // The first run may be gone before the last one.
    let removed =
        RemoveClosed { workflow: WORKFLOW, age: std::time::Duration::ZERO, after: None, limit: 10 };
    t.store.remove_closed(removed).await.expect("they can be removed");
    assert_eq!(find(&[first, alone]).await, [open, None]);
}

async fn a_successor_sends_after_the_run_before_it(t: StoreUnderTest) {
    let worker = t.worker().await;
    let receiver = t.start_owned("receiver", worker).await;
    let first = t.start_owned("a", worker).await;
    let next = new_run("a");
    let next_id = next.run_id;
    let effects = vec![to("receiver", "one")];
    let step = CommitStep { effects, ..continued(first, 0, next) };
    assert_eq!(t.commit(worker, step).await, CommitOutcome::Committed);
    assert_eq!(t.claim_ids(worker, 1).await, [next_id]);
    t.send(worker, next_id, 0, vec![to("receiver", "two")]).await;
    assert!(t.relay(&[next_id]).await.delivered.is_empty(), "it waits for the run before it");
    t.relay(&[first]).await;
    t.relay(&[next_id]).await;
    assert_eq!(t.texts(receiver).await, ["one", "two"]);
}
