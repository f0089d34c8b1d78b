//! Signals that no run has taken when the last run of a chain closes: they stay in its inbox.

use std::time::Duration;

use super::children::{child, start};
use crate::model::{Link, ParentClose, RunId, RunStatus, Terms};
use crate::store::conformance::fixture::{
    NOTHING, StoreUnderTest, close, close_as, edit_of, new_run, signal,
};
use crate::store::conformance::runs::chains::continued;
use crate::store::{
    ArrivalKind, ArrivalOutcome, ClosedPart, CommitOutcome, CommitStep, EditRun, ExpireRun,
    IdPolicy, IdReuse, NewArrival, NewRun, StripClosed, Successor,
};

crate::store::conformance::list_cases!("leftovers":
    signals_that_were_not_taken_stay,
    a_run_that_is_followed_keeps_nothing,
    whoever_closes_the_run_they_stay,
    a_run_that_is_reopened_finds_them,
    they_go_with_the_payloads,
);

impl StoreUnderTest {
    /// Delivers two signals and a request to cancel.
    async fn fill(&self, run_id: RunId) {
        let cancel = ArrivalKind::Cancel { reason: "enough".into() };
        let cancel = NewArrival { kind: cancel, ..signal(run_id, "") };
        let arrivals = vec![signal(run_id, "one"), cancel, signal(run_id, "two")];
        assert_eq!(self.deliver_all(arrivals).await.len(), 3);
    }

    /// As another process sees them.
    async fn leftovers(&self, run_id: RunId) -> Vec<String> {
        let details = self.other.find_details(run_id).await.expect("they can be read");
        let details = details.expect("the run is there");
        assert_eq!(details.unread_count, details.unread.len() as u64);
        assert!(details.unread.iter().all(|unread| unread.arrived_at.is_some()));
        details.unread.into_iter().map(|unread| unread.name.expect("a signal")).collect()
    }
}

async fn signals_that_were_not_taken_stay(t: StoreUnderTest) {
    let worker = t.worker().await;
    let ids = ["well", "ill", "taken", "none"];
    let mut runs = Vec::new();
    for id in ids {
        let run_id = t.start_owned(id, worker).await;
        if id != "none" {
            t.fill(run_id).await;
        }
        runs.push(run_id);
    }
    let steps = vec![
        close(runs[0], 0),
        close_as(runs[1], 0, RunStatus::Failed, None, Some("declined")),
        CommitStep { consumed: vec![1], ..close(runs[2], 0) },
        close(runs[3], 0),
    ];
    assert_eq!(t.commit_all(worker, steps).await, [CommitOutcome::Committed; 4]);
    let expected: [&[&str]; 4] = [&["one", "two"], &["one", "two"], &["two"], &[]];
    for (run_id, expected) in runs.iter().zip(expected) {
        assert_eq!(t.leftovers(*run_id).await, expected);
        assert_eq!(t.deliver(signal(*run_id, "late")).await, ArrivalOutcome::Closed);
        assert_eq!(t.leftovers(*run_id).await, expected);
    }
    assert_eq!(t.inbox(runs[0]).await, [1, 3]);
    assert_eq!(t.claim_ids(worker, 9).await, []);
}

async fn a_run_that_is_followed_keeps_nothing(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    t.fill(run_id).await;
    let next = new_run("a");
    let next_id = next.run_id;
    let step = CommitStep { consumed: vec![1], ..continued(run_id, 0, next) };
    assert_eq!(t.commit(worker, step).await, CommitOutcome::Committed);
    assert_eq!(t.inbox(run_id).await, NOTHING);
    assert_eq!(t.claim_ids(worker, 9).await, [next_id]);
    assert_eq!(t.commit(worker, close(next_id, 0)).await, CommitOutcome::Committed);
    assert_eq!(t.leftovers(next_id).await, ["two"]);
}

async fn whoever_closes_the_run_they_stay(t: StoreUnderTest) {
    let worker = t.worker().await;
    let terminated = t.start_owned("terminated", worker).await;
    t.fill(terminated).await;
    assert!(t.store.terminate_run(terminated, "enough").await.expect("it is open"));
    assert_eq!(t.leftovers(terminated).await, ["one", "two"]);
    assert!(t.store.terminate_run(terminated, "enough").await.expect("it was terminated"));
    assert_eq!(t.leftovers(terminated).await, ["one", "two"]);

    let replaced = t.start_owned("replaced", worker).await;
    t.fill(replaced).await;
    let policy = IdPolicy { reuse: IdReuse::Allow, ends_open: true };
    let next = new_run("replaced");
    let next_id = next.run_id;
    t.store.start_by_policy(next, policy).await.expect("it can be started");
    assert_eq!(t.leftovers(replaced).await, ["one", "two"]);
    assert_eq!(t.inbox(next_id).await, NOTHING, "it is another chain");

    let parent = t.start_owned("parent", worker).await;
    let of_parent = child(ParentClose::Terminate);
    let child_id = of_parent.run_id;
    t.send(worker, parent, 0, vec![start("child", of_parent)]).await;
    t.relay_all(&[parent]).await;
    t.fill(child_id).await;
    t.commit(worker, close(parent, 1)).await;
    t.relay_all(&[parent]).await;
    assert_eq!(t.record(child_id).await.status, RunStatus::Terminated);
    assert_eq!(t.leftovers(child_id).await, ["one", "two"]);

    for followed in [false, true] {
        let id = format!("late-{followed}");
        let timed = || {
            let terms = Terms { run_timeout: Some(Duration::from_secs(60)), ..Terms::default() };
            NewRun { terms: Some(Box::new(terms.begin(t.now()))), ..new_run(&id) }
        };
        let run = timed();
        let (run_id, deadline_at) = (run.run_id, t.now() + Duration::from_secs(60));
        t.start_all(vec![run]).await;
        t.fill(run_id).await;
        t.clock.advance(Duration::from_secs(60));
        let next = timed();
        let next_id = next.run_id;
        let successor = followed.then(|| Box::new(Successor { run: next, link: Link::Retry }));
        let expiry = ExpireRun { run_id, deadline_at, reason: "late".into(), successor };
        assert!(t.store.expire_run(expiry).await.expect("it can be closed"));
        match followed {
            true => {
                assert_eq!(t.inbox(run_id).await, NOTHING);
                assert_eq!(t.inbox(next_id).await, [1, 2, 3]);
            }
            false => assert_eq!(t.leftovers(run_id).await, ["one", "two"]),
        }
    }
}

async fn a_run_that_is_reopened_finds_them(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    t.fill(run_id).await;
    let failed = close_as(run_id, 0, RunStatus::Failed, None, Some("declined"));
    assert_eq!(t.commit(worker, failed).await, CommitOutcome::Committed);
    let edit = EditRun { reopen: true, ..edit_of(run_id, 1) };
    t.store.edit_run(edit).await.expect("it can be edited");
    let claimed = t.claim(worker, 9).await;
    let [run] = &claimed[..] else { panic!("it is due: {claimed:?}") };
    let seqs: Vec<i64> = run.inbox.arrivals.iter().map(|arrival| arrival.seq).collect();
    assert_eq!((run.run_id, seqs, run.inbox_count), (run_id, vec![1, 3], 3));
}

async fn they_go_with_the_payloads(t: StoreUnderTest) {
    let worker = t.worker().await;
    let (closed, open) = (t.start_owned("a", worker).await, t.start_owned("b", worker).await);
    t.fill(closed).await;
    t.fill(open).await;
    t.commit(worker, close(closed, 0)).await;
    let age = Duration::from_secs(3_600);
    t.clock.advance(age);
    let request = StripClosed {
        workflow: crate::store::conformance::fixture::WORKFLOW,
        part: ClosedPart::Payloads,
        age,
        after: None,
        limit: 9,
    };
    assert_eq!(t.store.strip_closed(request).await.expect("it can be done").runs, 1);
    assert_eq!(t.inbox(closed).await, NOTHING);
    assert_eq!(t.inbox(open).await, [1, 2, 3]);
}
