//! Children of a run which another run follows in its chain: they stay, or end with the run.

use std::time::Duration;

use super::children::{child, start};
use crate::model::{ChildOptions, ChildStart, Handle, Link, ParentClose, RunId, RunStatus, Terms};
use crate::store::conformance::fixture::{StoreUnderTest, close, new_run};
use crate::store::conformance::runs::chains::continued;
use crate::store::{
    ArrivalKind, CommitOutcome, CommitStep, Effect, ExpireRun, NewRun, Successor, WorkerLease,
};

crate::store::conformance::list_cases!("children_of_chains":
    children_stay_unless_they_end_with_the_run,
    policies_are_applied_at_the_end_of_a_run,
    a_child_that_is_started_by_the_last_step_ends_with_it,
    the_start_of_a_child_may_come_after_the_end,
    a_child_that_ends_with_the_last_run_ends_once,
    a_child_ends_with_a_run_that_times_out_and_is_retried,
    many_children_end_with_a_run,
);

fn of_run(policy: ParentClose) -> ChildStart {
    let options = ChildOptions { ends_with_run: true, ..ChildOptions::default() };
    ChildStart { options: Some(Box::new(options)), ..child(policy) }
}

impl StoreUnderTest {
    /// Continues a run as new.
    async fn follow(
        &self,
        worker: WorkerLease,
        run_id: RunId,
        expected: i64,
        effects: Vec<Effect>,
    ) -> RunId {
        let next = new_run("parent");
        let next_id = next.run_id;
        let step = CommitStep { effects, ..continued(run_id, expected, next) };
        assert_eq!(self.commit(worker, step).await, CommitOutcome::Committed);
        next_id
    }

    async fn statuses(&self, run_ids: &[RunId]) -> Vec<RunStatus> {
        let mut statuses = Vec::new();
        for run_id in run_ids {
            statuses.push(self.record(*run_id).await.status);
        }
        statuses
    }
}

async fn children_stay_unless_they_end_with_the_run(t: StoreUnderTest) {
    let worker = t.worker().await;
    let parent = t.start_owned("parent", worker).await;
    let (ends, stays) = (of_run(ParentClose::Terminate), child(ParentClose::Terminate));
    let ids = [ends.run_id, stays.run_id];
    t.send(worker, parent, 0, vec![start("ends", ends), start("stays", stays)]).await;
    t.relay_all(&[parent]).await;
    let kin = t.store.find_kin(ids[0]).await.expect("it can be read").expect("it is there");
    assert!(kin.ends_with_run);
    let kin = t.store.find_kin(ids[1]).await.expect("it can be read").expect("it is there");
    assert!(!kin.ends_with_run);
    let mut listed = t.store.list_children(parent, None, 9).await.expect("they can be listed");
    listed.sort_by_key(|child| child.ends_with_run);
    assert_eq!(listed.iter().map(|child| child.child).collect::<Vec<_>>(), [ids[1], ids[0]]);

    let next = t.follow(worker, parent, 1, Vec::new()).await;
    t.relay_all(&[parent]).await;
    assert_eq!(t.statuses(&ids).await, [RunStatus::Terminated, RunStatus::Running]);
    let failure = t.record(ids[0]).await.failure.expect("a reason");
    assert!(failure.contains(&parent.to_string()), "{failure}");
    let relayed = t.relay(&[parent]).await;
    assert!(relayed.carried_out.is_empty() && !relayed.has_more, "nothing is left: {relayed:?}");

    let claimed = t.claim_ids(worker, 9).await;
    assert!(claimed.contains(&next), "{claimed:?}");
    t.commit(worker, close(next, 0)).await;
    t.relay_all(&[next]).await;
    assert_eq!(t.statuses(&ids).await, [RunStatus::Terminated; 2]);
}

async fn policies_are_applied_at_the_end_of_a_run(t: StoreUnderTest) {
    let worker = t.worker().await;
    let parent = t.start_owned("parent", worker).await;
    let starts = ParentClose::ALL.map(of_run);
    let ids = starts.clone().map(|start| start.run_id);
    let starts = starts.into_iter().enumerate();
    let starts = starts.map(|(number, child)| start(&format!("child-{number}"), child));
    t.send(worker, parent, 0, starts.collect()).await;
    t.relay_all(&[parent]).await;
    t.follow(worker, parent, 1, Vec::new()).await;
    t.relay_all(&[parent]).await;
    t.relay_all(&[parent]).await;
    let [_, cancelled, abandoned] = ids;
    assert_eq!(
        t.statuses(&ids).await,
        [RunStatus::Terminated, RunStatus::Running, RunStatus::Running]
    );
    let inbox = t.store.read_inbox(cancelled, 0, 9).await.expect("inboxes can be read");
    let [arrival] = &inbox.arrivals[..] else { panic!("one request: {inbox:?}") };
    assert!(matches!(arrival.kind, ArrivalKind::Cancel { .. }));
    assert!(t.inbox(abandoned).await.is_empty());
}

async fn a_child_that_is_started_by_the_last_step_ends_with_it(t: StoreUnderTest) {
    let worker = t.worker().await;
    let parent = t.start_owned("parent", worker).await;
    let ends = of_run(ParentClose::Terminate);
    let child_id = ends.run_id;
    t.follow(worker, parent, 0, vec![start("child", ends)]).await;
    t.relay_all(&[parent]).await;
    assert_eq!(t.statuses(&[child_id]).await, [RunStatus::Terminated]);
}

async fn the_start_of_a_child_may_come_after_the_end(t: StoreUnderTest) {
    let worker = t.worker().await;
    let parent = t.start_owned("parent", worker).await;
    let mut ends = of_run(ParentClose::Terminate);
    ends.awaited_by = Some(Handle(3));
    let child_id = ends.run_id;
    t.send(worker, parent, 0, vec![start("child", ends)]).await;
    let next = t.follow(worker, parent, 1, Vec::new()).await;
    t.relay_all(&[parent, next]).await;
    assert_eq!(t.statuses(&[child_id]).await, [RunStatus::Terminated]);
    assert!(t.inbox(next).await.is_empty(), "the wait was that of the run before it");
}

async fn a_child_that_ends_with_the_last_run_ends_once(t: StoreUnderTest) {
    let worker = t.worker().await;
    let parent = t.start_owned("parent", worker).await;
    let next = t.follow(worker, parent, 0, Vec::new()).await;
    assert_eq!(t.claim_ids(worker, 1).await, [next]);
    let (ends, closed) = (of_run(ParentClose::RequestCancel), of_run(ParentClose::Terminate));
    let ids = [ends.run_id, closed.run_id];
    t.send(worker, next, 0, vec![start("ends", ends), start("closed", closed)]).await;
    t.relay_all(&[next]).await;
    t.claim_ids(worker, 9).await;
    t.commit(worker, close(ids[1], 0)).await;
    t.commit(worker, close(next, 1)).await;
    t.relay_all(&[next, ids[1]]).await;
    t.relay_all(&[parent, next]).await;
    assert_eq!(t.statuses(&ids).await, [RunStatus::Running, RunStatus::Completed]);
    assert_eq!(t.inbox(ids[0]).await.len(), 1, "one request to cancel");
}

async fn many_children_end_with_a_run(t: StoreUnderTest) {
    let worker = t.worker().await;
    let parent = t.start_owned("parent", worker).await;
    let children: Vec<ChildStart> = (0..600).map(|_| of_run(ParentClose::Terminate)).collect();
    let ids: Vec<RunId> = children.iter().map(|child| child.run_id).collect();
    let starts = children.into_iter().map(|child| start(&child.run_id.to_string(), child));
    t.send(worker, parent, 0, starts.collect()).await;
    t.relay_all(&[parent]).await;
    t.follow(worker, parent, 1, Vec::new()).await;
    t.relay_all(&[parent]).await;
    assert_eq!(t.statuses(&ids).await, vec![RunStatus::Terminated; 600]);
}

async fn a_child_ends_with_a_run_that_times_out_and_is_retried(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_timeout = Some(Duration::from_secs(60));
    let terms = Terms { run_timeout, ..Terms::default() }.begin(t.now());
    let deadline_at = terms.deadline().expect("it has a timeout");
    let run = NewRun { terms: Some(Box::new(terms)), ..new_run("parent") };
    let parent = run.run_id;
    t.start_all(vec![run]).await;
    assert_eq!(t.claim_ids(worker, 1).await, [parent]);
    let (ends, stays) = (of_run(ParentClose::Terminate), child(ParentClose::Terminate));
    let ids = [ends.run_id, stays.run_id];
    t.send(worker, parent, 0, vec![start("ends", ends), start("stays", stays)]).await;
    t.relay_all(&[parent]).await;
    let successor = Some(Box::new(Successor { run: new_run("parent"), link: Link::Retry }));
    let expiry = ExpireRun { run_id: parent, deadline_at, reason: "late".into(), successor };
    assert!(t.store.expire_run(expiry).await.expect("it can be closed"));
    t.relay_all(&[parent]).await;
    assert_eq!(t.statuses(&ids).await, [RunStatus::Terminated, RunStatus::Running]);
}
