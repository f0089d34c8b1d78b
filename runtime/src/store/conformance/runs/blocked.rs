//! Blocked runs are found and adopted by workers that may be able to continue them.

use std::time::Duration;

use crate::error::StoreError;
use crate::model::{BlockedReason, RunId, RunStatus, StepNo};
use crate::store::conformance::fixture::{StoreUnderTest, WORKFLOW, keep, park, signal};
use crate::store::{CommitOutcome, CommitStep, Disposition, WorkerLease};

crate::store::conformance::list_cases!("blocked":
    blocked_runs_are_found_in_order_page_by_page,
    a_blocked_run_is_found_with_its_step_and_its_reason,
    what_is_blocked_for_reasons_of_its_own_is_not_found,
    runs_of_other_workflows_are_not_found,
    what_is_not_blocked_is_neither_found_nor_adopted,
    an_adopted_run_comes_as_a_claim_gives_it,
    adopted_runs_come_in_the_order_of_their_ids,
    an_adopted_run_is_nobody_elses,
    a_worker_without_a_lease_adopts_nothing,
    a_run_whose_workers_died_is_unblocked_by_itself_alone,
    since_when_a_run_is_blocked_is_told_while_it_is,
);

fn block(run_id: RunId, step_no: i64, reason: BlockedReason) -> CommitStep {
    CommitStep::new(run_id, StepNo(step_no), Disposition::Block { reason })
}

fn unreadable() -> BlockedReason {
    BlockedReason::Undecodable("it is of another build".into())
}

/// Blocks this number of runs, in order.
async fn blocked(t: &StoreUnderTest, worker: WorkerLease, count: usize) -> Vec<RunId> {
    let mut runs = Vec::with_capacity(count);
    for number in 0..count {
        let run_id = t.start_owned(&format!("run-{number}"), worker).await;
        t.commit(worker, keep(run_id, 0, "one")).await;
        assert_eq!(
            t.commit(worker, block(run_id, 1, unreadable())).await,
            CommitOutcome::Committed
        );
        runs.push(run_id);
    }
    runs.sort();
    runs
}

async fn find(t: &StoreUnderTest, after: Option<RunId>, limit: u32) -> Vec<RunId> {
    let found = t.store.find_blocked(&["elsewhere", WORKFLOW], after, limit).await;
    found.expect("they can be found").into_iter().map(|run| run.run_id).collect()
}

async fn adopt(t: &StoreUnderTest, worker: WorkerLease, runs: &[RunId]) -> Vec<RunId> {
    let adopted = t.store.adopt_blocked(worker, runs, 10).await.expect("they can be adopted");
    adopted.into_iter().map(|run| run.run_id).collect()
}

async fn blocked_runs_are_found_in_order_page_by_page(t: StoreUnderTest) {
    let worker = t.worker().await;
    let runs = blocked(&t, worker, 5).await;
    assert_eq!(find(&t, None, 10).await, runs);
    assert_eq!(find(&t, None, 2).await, runs[..2]);
    assert_eq!(find(&t, Some(runs[1]), 2).await, runs[2..4]);
    assert_eq!(find(&t, Some(runs[3]), 2).await, runs[4..]);
    assert_eq!(find(&t, Some(runs[4]), 2).await, []);
}

async fn a_blocked_run_is_found_with_its_step_and_its_reason(t: StoreUnderTest) {
    let worker = t.worker().await;
    let runs = blocked(&t, worker, 1).await;
    let found = t.store.find_blocked(&[WORKFLOW], None, 10).await.expect("it can be found");
    let [run] = &found[..] else { panic!("there is one: {found:?}") };
    assert_eq!((run.run_id, run.workflow.as_str()), (runs[0], WORKFLOW));
    assert_eq!((run.step_no, &run.reason), (StepNo(2), &unreadable()));
    let snapshot = t.store.find_snapshot(run.run_id).await.expect("it can be looked at");
    assert_eq!(snapshot.as_deref(), Some(&b"one"[..]));
}

async fn what_is_blocked_for_reasons_of_its_own_is_not_found(t: StoreUnderTest) {
    let worker = t.worker().await;
    let text = || "of \"un".to_owned();
    let reasons = [
        BlockedReason::Panicked(text()),
        BlockedReason::Unregistered(text()),
        BlockedReason::Invalid(text()),
        BlockedReason::Undecodable(text()),
    ];
    let mut runs = Vec::new();
    for (number, reason) in reasons.into_iter().enumerate() {
        let run_id = t.start_owned(&format!("run-{number}"), worker).await;
        assert_eq!(t.commit(worker, block(run_id, 0, reason)).await, CommitOutcome::Committed);
        runs.push(run_id);
    }
    let mut of_the_build = vec![runs[1], runs[3]];
    of_the_build.sort();
    assert_eq!(find(&t, None, 10).await, of_the_build);
    assert_eq!(find(&t, None, 1).await, of_the_build[..1]);
    assert_eq!(find(&t, Some(of_the_build[0]), 10).await, of_the_build[1..]);
}

async fn runs_of_other_workflows_are_not_found(t: StoreUnderTest) {
    let worker = t.worker().await;
    blocked(&t, worker, 1).await;
    for workflows in [&[][..], &["elsewhere"]] {
        let found = t.store.find_blocked(workflows, None, 10).await.expect("it can be asked for");
        assert!(found.is_empty(), "{found:?}");
    }
}

async fn what_is_not_blocked_is_neither_found_nor_adopted(t: StoreUnderTest) {
    let worker = t.worker().await;
    let [owned, parked] = [t.start_owned("a", worker).await, t.start_owned("b", worker).await];
    t.commit(worker, park(parked, 0, None, 0)).await;
    let due = t.start("c").await;
    assert_eq!(find(&t, None, 10).await, []);
    let other = t.worker().await;
    assert_eq!(adopt(&t, other, &[owned, parked, due, RunId::new()]).await, []);
    assert_eq!(t.record(owned).await.owner, Some(worker.worker_id));
    assert_eq!(t.record(parked).await.owner, None);
    assert_eq!(t.claim_ids(other, 10).await, [due]);
}

async fn an_adopted_run_comes_as_a_claim_gives_it(t: StoreUnderTest) {
    let (blocking, able) = (t.worker().await, t.worker().await);
    let runs = blocked(&t, blocking, 2).await;
    t.deliver(signal(runs[0], "x")).await;
    let adopted = t.store.adopt_blocked(able, &runs[..1], 10).await.expect("it can be adopted");
    let [run] = &adopted[..] else { panic!("there is one: {adopted:?}") };
    assert_eq!((run.run_id, run.workflow.as_str(), run.step_no), (runs[0], WORKFLOW, StepNo(2)));
    assert_eq!((run.snapshot.as_slice(), run.takeovers, run.inbox_count), (&b"one"[..], 0, 1));
    assert_eq!(run.inbox.arrivals.iter().map(|arrival| arrival.seq).collect::<Vec<_>>(), [1]);
    let record = t.record(runs[0]).await;
    assert_eq!((record.status, record.blocked), (RunStatus::Running, None));
    assert_eq!((record.owner, record.due_at), (Some(able.worker_id), None));
    assert_eq!(find(&t, None, 10).await, runs[1..]);
    assert_eq!(t.commit(able, keep(runs[0], 2, "on")).await, CommitOutcome::Committed);
}

async fn adopted_runs_come_in_the_order_of_their_ids(t: StoreUnderTest) {
    let worker = t.worker().await;
    let runs = blocked(&t, worker, 3).await;
    assert_eq!(adopt(&t, worker, &[runs[1], runs[2], runs[0]]).await, runs);
}

async fn an_adopted_run_is_nobody_elses(t: StoreUnderTest) {
    let (first, second) = (t.worker().await, t.worker().await);
    let runs = blocked(&t, first, 1).await;
    assert_eq!(adopt(&t, first, &runs).await, runs);
    assert_eq!(adopt(&t, second, &runs).await, []);
    assert_eq!(t.claim_ids(second, 10).await, []);
    t.store.release_worker(first).await.expect("a worker can leave");
    assert_eq!(t.claim_ids(second, 10).await, runs);
}

async fn a_worker_without_a_lease_adopts_nothing(t: StoreUnderTest) {
    let worker = t.worker().await;
    let runs = blocked(&t, worker, 1).await;
    t.store.fence_workers(&[worker.worker_id]).await.expect("it can be fenced");
    let refused = t.store.adopt_blocked(worker, &runs, 10).await;
    assert!(matches!(refused, Err(StoreError::Fenced)), "{refused:?}");
    assert_eq!(find(&t, None, 10).await, runs);
}

async fn since_when_a_run_is_blocked_is_told_while_it_is(t: StoreUnderTest) {
    let worker = t.worker().await;
    let mut since = Vec::new();
    for id in ["adopted", "unblocked", "unblocked with others", "terminated", "stays"] {
        let run_id = t.start_owned(id, worker).await;
        assert_eq!(t.record(run_id).await.blocked_at, None);
        t.clock.advance(Duration::from_millis(1));
        // The others of its commit are not blocked.
        let kept = t.start_owned(&format!("{id} not"), worker).await;
        t.commit_all(worker, vec![block(run_id, 0, unreadable()), keep(kept, 0, "one")]).await;
        assert_eq!(t.record(kept).await.blocked_at, None);
        since.push((run_id, t.now()));
        t.clock.advance(Duration::from_millis(1));
    }
    for (run_id, blocked_at) in &since {
        assert_eq!(t.record(*run_id).await.blocked_at, Some(*blocked_at));
    }
    let [adopted, unblocked, with_others, terminated, stays] = since[..] else { unreachable!() };
    assert_eq!(adopt(&t, worker, &[adopted.0]).await, [adopted.0]);
    assert_eq!(t.store.unblock_runs(&[], Some(unblocked.0)).await.expect("it can be"), 1);
    assert!(t.store.terminate_run(terminated.0, "why").await.expect("it can be terminated"));
    for (run_id, _) in [adopted, unblocked, terminated] {
        assert_eq!(t.record(run_id).await.blocked_at, None);
    }
    assert_eq!(t.record(stays.0).await.blocked_at, Some(stays.1));
    assert_eq!(t.store.unblock_runs(&[WORKFLOW], None).await.expect("they can be"), 2);
    for (run_id, _) in [with_others, stays] {
        assert_eq!(t.record(run_id).await.blocked_at, None);
    }
    // Blocked anew, it is blocked since then.
    assert_eq!(t.commit(worker, block(adopted.0, 1, unreadable())).await, CommitOutcome::Committed);
    assert_eq!(t.record(adopted.0).await.blocked_at, Some(t.now()));
}

async fn a_run_whose_workers_died_is_unblocked_by_itself_alone(t: StoreUnderTest) {
    let run_id = t.start("a").await;
    for _ in 0..5 {
        let dead = t.worker().await;
        assert_eq!(t.claim(dead, 1).await.len(), 1);
        t.store.fence_workers(&[dead.worker_id]).await.expect("workers can be fenced");
    }
    let worker = t.worker().await;
    assert_eq!(t.claim(worker, 1).await[0].takeovers, 5);
    let reason = BlockedReason::WorkersDied("five of them".into());
    assert_eq!(t.commit(worker, block(run_id, 0, reason.clone())).await, CommitOutcome::Committed);
    let unblock = async |run_id| {
        t.store.unblock_runs(&[WORKFLOW], run_id).await.expect("runs can be unblocked")
    };
    assert_eq!(unblock(None).await, 0);
    assert_eq!(t.record(run_id).await.blocked, Some(reason));
    assert_eq!(find(&t, None, 10).await, []);
    assert_eq!(unblock(Some(run_id)).await, 1);
    // What it was doing when the first of them died was cut off; the others have begun nothing.
    assert_eq!(t.claim(worker, 1).await[0].takeovers, 1);
}
