//! Claims of due runs.

use std::time::Duration;

use crate::error::StoreError;
use crate::model::{Epoch, RunId, StepNo, WorkerId};
use crate::store::conformance::fixture::{
    LEASE, LONGER_THAN_LEASE, StoreUnderTest, WORKFLOW, block, close, keep, new_run, park, signal,
};
use crate::store::{ClaimRequest, Claimed, CommitOutcome, NewRun, WorkerLease};

crate::store::conformance::list_cases!("claiming":
    a_due_run_is_claimed_once,
    nothing_due_gives_nothing,
    a_claimed_run_is_owned_and_not_due,
    the_longest_due_come_first,
    of_several_workflows_the_longest_due_come_first,
    those_due_at_once_come_in_the_order_of_their_ids,
    no_more_than_the_limit_is_claimed,
    a_limit_of_nothing_claims_nothing,
    only_the_workflows_asked_for_are_claimed,
    no_workflows_claim_nothing,
    a_backlog_of_another_workflow_does_not_count,
    hundreds_of_workflows_can_be_asked_for,
    many_runs_are_claimed_at_once,
    the_claim_tells_the_time,
    the_claim_tells_when_the_next_run_falls_due,
    the_claim_tells_of_what_the_limit_left,
    the_next_due_time_leaves_out_other_workflows,
    the_next_due_time_leaves_out_owned_runs,
    closed_and_blocked_runs_are_not_claimed,
    the_inbox_comes_with_the_run,
    no_more_of_the_inbox_than_asked_for_comes,
    the_inbox_leaves_out_what_was_used_up,
    each_run_comes_with_its_own_inbox,
    a_worker_whose_lease_has_run_out_cannot_claim,
    a_worker_that_was_fenced_cannot_claim,
    a_worker_of_another_epoch_cannot_claim,
    an_unknown_worker_cannot_claim,
    a_lease_is_over_at_its_very_end,
);

async fn claim_of(t: &StoreUnderTest, worker: WorkerLease, workflows: &[&str]) -> Claimed {
    let request = ClaimRequest { worker, workflows, limit: 100, inbox_limit: 10 };
    t.store.claim_runs(request).await.expect("a valid worker can claim")
}

async fn start_of(t: &StoreUnderTest, workflow: &str, workflow_id: &str) -> RunId {
    let run = NewRun { workflow: workflow.into(), ..new_run(workflow_id) };
    let run_id = run.run_id;
    t.start_all(vec![run]).await;
    run_id
}

async fn a_due_run_is_claimed_once(t: StoreUnderTest) {
    let (first, second) = (t.worker().await, t.worker().await);
    let run_id = t.start("a").await;
    assert_eq!(t.claim_ids(first, 10).await, [run_id]);
    assert_eq!(t.claim_ids(first, 10).await, []);
    assert_eq!(t.claim_ids(second, 10).await, []);
}

async fn nothing_due_gives_nothing(t: StoreUnderTest) {
    let worker = t.worker().await;
    let claimed = t.try_claim(worker, 10).await.expect("a valid worker can claim");
    assert!(claimed.runs.is_empty());
    assert_eq!(claimed.next_due_at, None);
}

async fn a_claimed_run_is_owned_and_not_due(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start("a").await;
    let [run] = &t.claim(worker, 1).await[..] else { panic!("the run is due") };
    assert_eq!((run.step_no, run.takeovers, run.inbox_count), (StepNo(0), 0, 0));
    let record = t.record(run_id).await;
    assert_eq!((record.owner, record.due_at), (Some(worker.worker_id), None));
    assert_eq!(t.commit(worker, keep(run_id, 0, "one")).await, CommitOutcome::Committed);
}

async fn the_longest_due_come_first(t: StoreUnderTest) {
    let worker = t.worker().await;
    let mut expected = Vec::new();
    // In another order than they were started, also among the first that a claim looks at.
    for late in [3_u32, 5, 1, 4, 2] {
        let start_at = Some(t.now() + Duration::from_millis(u64::from(late)));
        let run = NewRun { start_at, ..new_run(&late.to_string()) };
        expected.push((late, run.run_id));
        t.start_all(vec![run]).await;
    }
    expected.sort_unstable();
    t.clock.advance(Duration::from_secs(1));
    let expected: Vec<RunId> = expected.into_iter().map(|(_, run_id)| run_id).collect();
    for claimed in expected.chunks(2) {
        assert_eq!(t.claim_ids(worker, 2).await, claimed);
    }
}

/// At most the limit in total, whatever each inbox contains.
async fn of_several_workflows_the_longest_due_come_first(t: StoreUnderTest) {
    let worker = t.worker().await;
    let mut expected = Vec::new();
    for (late, workflow) in [(5, "a"), (6, "a"), (7, "a"), (1, "b"), (4, "b"), (2, "c"), (3, "c")] {
        let start_at = Some(t.now() + Duration::from_millis(late));
        let run = NewRun { workflow: workflow.into(), start_at, ..new_run(&late.to_string()) };
        expected.push((late, run.run_id));
        t.start_all(vec![run]).await;
    }
    expected.sort_unstable();
    t.clock.advance(Duration::from_secs(1));
    let expected: Vec<RunId> = expected.into_iter().map(|(_, run_id)| run_id).collect();
    for part in expected.chunks(2) {
        let workflows = &["a", "b", "c"];
        let request = ClaimRequest { worker, workflows, limit: 2, inbox_limit: 10 };
        let claimed = t.store.claim_runs(request).await.expect("a valid worker can claim").runs;
        assert_eq!(claimed.iter().map(|run| run.run_id).collect::<Vec<_>>(), part);
    }
}

async fn those_due_at_once_come_in_the_order_of_their_ids(t: StoreUnderTest) {
    let worker = t.worker().await;
    let mut runs: Vec<NewRun> = (0..5).map(|n| new_run(&n.to_string())).collect();
    let mut expected: Vec<RunId> = runs.iter().map(|run| run.run_id).collect();
    expected.sort_unstable();
    runs.reverse();
    t.start_all(runs).await;
    assert_eq!(t.claim_ids(worker, 3).await, expected[..3]);
    assert_eq!(t.claim_ids(worker, 3).await, expected[3..]);
}

async fn no_more_than_the_limit_is_claimed(t: StoreUnderTest) {
    let worker = t.worker().await;
    t.start_all((0..5).map(|n| new_run(&n.to_string())).collect()).await;
    assert_eq!(t.claim(worker, 3).await.len(), 3);
    assert_eq!(t.claim(worker, 3).await.len(), 2);
}

async fn a_limit_of_nothing_claims_nothing(t: StoreUnderTest) {
    let worker = t.worker().await;
    t.start("a").await;
    let claimed = t.try_claim(worker, 0).await.expect("a valid worker can claim");
    assert!(claimed.runs.is_empty());
    assert_eq!(claimed.next_due_at, Some(t.now()));
}

async fn only_the_workflows_asked_for_are_claimed(t: StoreUnderTest) {
    let worker = t.worker().await;
    let (one, two) = (start_of(&t, "one", "a").await, start_of(&t, "two", "b").await);
    start_of(&t, "three", "c").await;
    let claimed = claim_of(&t, worker, &["two", "one", "four"]).await;
    let mut run_ids: Vec<RunId> = claimed.runs.iter().map(|run| run.run_id).collect();
    run_ids.sort_unstable();
    let mut expected = [one, two];
    expected.sort_unstable();
    assert_eq!(run_ids, expected);
}

async fn no_workflows_claim_nothing(t: StoreUnderTest) {
    let worker = t.worker().await;
    t.start("a").await;
    let claimed = claim_of(&t, worker, &[]).await;
    assert!(claimed.runs.is_empty());
    assert_eq!(claimed.next_due_at, None);
}

async fn a_backlog_of_another_workflow_does_not_count(t: StoreUnderTest) {
    let worker = t.worker().await;
    for n in 0..20 {
        start_of(&t, "elsewhere", &n.to_string()).await;
    }
    let run_id = t.start("a").await;
    assert_eq!(t.claim_ids(worker, 1).await, [run_id]);
}

async fn hundreds_of_workflows_can_be_asked_for(t: StoreUnderTest) {
    let worker = t.worker().await;
    let names: Vec<String> = (0..900).map(|n| format!("workflow-{n}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let last = start_of(&t, names[899], "last").await;
    t.clock.advance(Duration::from_secs(1));
    let first = start_of(&t, names[0], "first").await;
    let claimed = claim_of(&t, worker, &names).await;
    let run_ids: Vec<RunId> = claimed.runs.iter().map(|run| run.run_id).collect();
    assert_eq!(run_ids, [last, first]);
}

async fn many_runs_are_claimed_at_once(t: StoreUnderTest) {
    let worker = t.worker().await;
    t.start_all((0..500).map(|n| new_run(&n.to_string())).collect()).await;
    let claimed = t.claim(worker, 500).await;
    assert_eq!(claimed.len(), 500);
    assert!(claimed.is_sorted_by_key(|run| run.run_id));
}

async fn the_claim_tells_the_time(t: StoreUnderTest) {
    let worker = t.worker().await;
    t.clock.advance(Duration::from_millis(1));
    let claimed = t.try_claim(worker, 1).await.expect("a valid worker can claim");
    assert_eq!(claimed.now, t.now());
    assert_eq!(t.store.now().await.expect("the clock can be read"), t.now());
}

async fn the_claim_tells_when_the_next_run_falls_due(t: StoreUnderTest) {
    let worker = t.worker().await;
    let soon = t.now() + Duration::from_secs(60);
    let later = soon + Duration::from_secs(60);
    for (id, start_at) in [("later", later), ("soon", soon)] {
        t.start_all(vec![NewRun { start_at: Some(start_at), ..new_run(id) }]).await;
    }
    let run_id = t.start("now").await;
    let claimed = t.try_claim(worker, 10).await.expect("a valid worker can claim");
    assert_eq!(claimed.runs.len(), 1);
    assert_eq!(claimed.runs[0].run_id, run_id);
    assert_eq!(claimed.next_due_at, Some(soon));
}

async fn the_claim_tells_of_what_the_limit_left(t: StoreUnderTest) {
    let worker = t.worker().await;
    let due_at = t.now();
    t.start_all(vec![new_run("a"), new_run("b")]).await;
    t.clock.advance(Duration::from_secs(1));
    let claimed = t.try_claim(worker, 1).await.expect("a valid worker can claim");
    assert_eq!(claimed.next_due_at, Some(due_at));
}

async fn the_next_due_time_leaves_out_other_workflows(t: StoreUnderTest) {
    let worker = t.worker().await;
    start_of(&t, "elsewhere", "a").await;
    let claimed = t.try_claim(worker, 1).await.expect("a valid worker can claim");
    assert_eq!(claimed.next_due_at, None);
}

async fn the_next_due_time_leaves_out_owned_runs(t: StoreUnderTest) {
    let worker = t.worker().await;
    t.start_owned("a", worker).await;
    let claimed = t.try_claim(worker, 1).await.expect("a valid worker can claim");
    assert_eq!(claimed.next_due_at, None);
}

async fn closed_and_blocked_runs_are_not_claimed(t: StoreUnderTest) {
    let worker = t.worker().await;
    let (closed, blocked) = (t.start_owned("a", worker).await, t.start_owned("b", worker).await);
    t.commit_all(worker, vec![close(closed, 0), block(blocked, 0)]).await;
    t.deliver_all(vec![signal(closed, "x"), signal(blocked, "x")]).await;
    assert_eq!(t.claim_ids(worker, 10).await, []);
}

async fn the_inbox_comes_with_the_run(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start("a").await;
    t.deliver_all(vec![signal(run_id, "x"), signal(run_id, "y")]).await;
    let [run] = &t.claim(worker, 1).await[..] else { panic!("the run is due") };
    assert_eq!(run.inbox.arrivals.iter().map(|arrival| arrival.seq).collect::<Vec<_>>(), [1, 2]);
    assert_eq!(run.inbox.arrivals[0].kind, signal(run_id, "x").kind);
    assert_eq!(run.inbox.arrivals[1].kind, signal(run_id, "y").kind);
    assert_eq!(run.inbox_count, 2);
}

async fn no_more_of_the_inbox_than_asked_for_comes(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start("a").await;
    t.deliver_all((0..5).map(|_| signal(run_id, "x")).collect()).await;
    let request = ClaimRequest { worker, workflows: &[WORKFLOW], limit: 1, inbox_limit: 3 };
    let claimed = t.store.claim_runs(request).await.expect("a valid worker can claim");
    let [run] = &claimed.runs[..] else { panic!("the run is due") };
    assert_eq!(run.inbox.arrivals.iter().map(|arrival| arrival.seq).collect::<Vec<_>>(), [1, 2, 3]);
    assert_eq!(run.inbox_count, 5);
}

async fn the_inbox_leaves_out_what_was_used_up(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    t.deliver_all((0..3).map(|_| signal(run_id, "x")).collect()).await;
    let mut step = park(run_id, 0, Some(t.now()), 3);
    step.consumed = vec![1, 3];
    assert_eq!(t.commit(worker, step).await, CommitOutcome::Committed);
    let [run] = &t.claim(worker, 1).await[..] else { panic!("the run is due") };
    assert_eq!(run.inbox.arrivals.iter().map(|arrival| arrival.seq).collect::<Vec<_>>(), [2]);
    assert_eq!(run.inbox_count, 3);
}

async fn each_run_comes_with_its_own_inbox(t: StoreUnderTest) {
    let worker = t.worker().await;
    let (one, two, three) = (t.start("a").await, t.start("b").await, t.start("c").await);
    t.deliver_all(vec![signal(two, "x"), signal(one, "y"), signal(two, "z")]).await;
    let claimed = t.claim(worker, 10).await;
    for (run_id, names) in [(one, &["y"][..]), (two, &["x", "z"]), (three, &[])] {
        let run = claimed.iter().find(|run| run.run_id == run_id).expect("it is due");
        let kinds: Vec<_> = run.inbox.arrivals.iter().map(|arrival| &arrival.kind).collect();
        let expected: Vec<_> = names.iter().map(|name| signal(run_id, name).kind).collect();
        assert_eq!(kinds, expected.iter().collect::<Vec<_>>());
    }
}

async fn assert_fenced(t: &StoreUnderTest, worker: WorkerLease) {
    let run_id = t.start("due").await;
    assert!(matches!(t.try_claim(worker, 1).await, Err(StoreError::Fenced)));
    assert_eq!(t.record(run_id).await.owner, None);
}

async fn a_worker_whose_lease_has_run_out_cannot_claim(t: StoreUnderTest) {
    let worker = t.worker().await;
    t.clock.advance(LONGER_THAN_LEASE);
    assert_fenced(&t, worker).await;
}

async fn a_worker_that_was_fenced_cannot_claim(t: StoreUnderTest) {
    let worker = t.worker().await;
    t.store.fence_workers(&[worker.worker_id]).await.expect("workers can be fenced");
    assert_fenced(&t, worker).await;
}

async fn a_worker_of_another_epoch_cannot_claim(t: StoreUnderTest) {
    let worker = t.worker().await;
    assert_fenced(&t, WorkerLease { epoch: Epoch(worker.epoch.0 + 1), ..worker }).await;
}

async fn an_unknown_worker_cannot_claim(t: StoreUnderTest) {
    assert_fenced(&t, WorkerLease { worker_id: WorkerId(987), epoch: Epoch(1) }).await;
}

async fn a_lease_is_over_at_its_very_end(t: StoreUnderTest) {
    let worker = t.worker().await;
    t.clock.advance(LEASE - Duration::from_micros(1));
    assert!(t.try_claim(worker, 1).await.is_ok());
    t.clock.advance(Duration::from_micros(1));
    assert_fenced(&t, worker).await;
}
