//! Commits of steps, and their guards.

use crate::error::StoreError;
use crate::filter;
use crate::model::{Epoch, RunId, RunStatus, StepNo};
use crate::store::conformance::fixture::{
    LONGER_THAN_LEASE, NOTHING, StoreUnderTest, block, close, keep, new_run, park, signal,
};
use crate::store::{CommitOutcome, CommitStep, NewRun, WorkerLease};

crate::store::conformance::list_cases!("committing":
    a_kept_run_has_the_new_state,
    steps_are_counted,
    the_snapshot_is_what_the_next_owner_gets,
    a_step_behind_is_lost,
    a_step_ahead_is_lost,
    the_same_step_twice_is_lost,
    a_lost_step_writes_nothing,
    a_step_of_an_unknown_run_is_lost,
    a_step_of_an_unowned_run_is_lost,
    a_step_of_somebody_elses_run_is_lost,
    a_step_of_a_closed_run_is_lost,
    a_step_of_a_terminated_run_is_lost,
    a_worker_whose_lease_has_run_out_cannot_commit,
    a_worker_that_was_fenced_cannot_commit,
    a_worker_of_another_epoch_cannot_commit,
    a_fenced_worker_that_wakes_up_cannot_commit_what_it_still_knows,
    a_batch_has_mixed_outcomes_in_its_order,
    a_batch_may_do_everything_at_once,
    an_empty_batch_does_nothing,
    a_large_batch_commits_whole,
    a_large_batch_of_closings_commits_whole,
    what_was_used_up_is_gone,
    what_a_lost_step_used_up_stays,
    using_up_what_is_not_there_does_nothing,
    using_up_leaves_other_runs_alone,
    many_arrivals_are_used_up_at_once,
);

async fn a_kept_run_has_the_new_state(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    assert_eq!(t.commit(worker, keep(run_id, 0, "one")).await, CommitOutcome::Committed);
    let run = t.record(run_id).await;
    assert_eq!((run.state.as_str(), run.status), ("one", RunStatus::Running));
    assert_eq!((run.owner, run.due_at), (Some(worker.worker_id), None));
}

async fn steps_are_counted(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    for expected in 0..10 {
        let step = keep(run_id, expected, &expected.to_string());
        assert_eq!(t.commit(worker, step).await, CommitOutcome::Committed);
    }
    let run = t.record(run_id).await;
    assert_eq!((run.step_no, run.state.as_str()), (StepNo(10), "9"));
}

async fn the_snapshot_is_what_the_next_owner_gets(t: StoreUnderTest) {
    let (worker, next) = (t.worker().await, t.worker().await);
    let run_id = t.start_owned("a", worker).await;
    t.commit(worker, keep(run_id, 0, "one")).await;
    t.store.release_worker(worker).await.expect("a worker can leave");
    let [run] = &t.claim(next, 1).await[..] else { panic!("the run is due") };
    assert_eq!((run.snapshot.as_slice(), run.step_no), (&b"one"[..], StepNo(1)));
}

async fn assert_lost(t: &StoreUnderTest, worker: WorkerLease, step: CommitStep) {
    assert_eq!(t.commit(worker, step).await, CommitOutcome::Lost);
}

async fn a_step_behind_is_lost(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    t.commit(worker, keep(run_id, 0, "one")).await;
    t.commit(worker, keep(run_id, 1, "two")).await;
    assert_lost(&t, worker, keep(run_id, 0, "late")).await;
    assert_lost(&t, worker, park(run_id, 0, None, 0)).await;
    assert_lost(&t, worker, close(run_id, 1)).await;
}

async fn a_step_ahead_is_lost(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    assert_lost(&t, worker, keep(run_id, 1, "early")).await;
    assert_lost(&t, worker, close(run_id, 5)).await;
}

async fn the_same_step_twice_is_lost(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    assert_eq!(t.commit(worker, keep(run_id, 0, "one")).await, CommitOutcome::Committed);
    assert_lost(&t, worker, keep(run_id, 0, "one")).await;
}

async fn a_lost_step_writes_nothing(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    t.commit(worker, keep(run_id, 0, "one")).await;
    for step in [keep(run_id, 0, "late"), park(run_id, 0, None, 0), close(run_id, 0)] {
        assert_lost(&t, worker, step).await;
    }
    let run = t.record(run_id).await;
    assert_eq!((run.state.as_str(), run.step_no), ("one", StepNo(1)));
    assert_eq!((run.status, run.owner), (RunStatus::Running, Some(worker.worker_id)));
    assert_eq!(run.result, None);
}

async fn a_step_of_an_unknown_run_is_lost(t: StoreUnderTest) {
    let worker = t.worker().await;
    assert_lost(&t, worker, keep(RunId::new(), 0, "one")).await;
    assert_lost(&t, worker, close(RunId::new(), 0)).await;
}

async fn a_step_of_an_unowned_run_is_lost(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start("a").await;
    assert_lost(&t, worker, keep(run_id, 0, "one")).await;
    assert_lost(&t, worker, close(run_id, 0)).await;
}

async fn a_step_of_somebody_elses_run_is_lost(t: StoreUnderTest) {
    let (worker, other) = (t.worker().await, t.worker().await);
    let run_id = t.start_owned("a", other).await;
    assert_lost(&t, worker, keep(run_id, 0, "one")).await;
    assert_lost(&t, worker, close(run_id, 0)).await;
    assert_eq!(t.commit(other, keep(run_id, 0, "one")).await, CommitOutcome::Committed);
}

async fn a_step_of_a_closed_run_is_lost(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    t.commit(worker, close(run_id, 0)).await;
    assert_lost(&t, worker, keep(run_id, 1, "more")).await;
    assert_lost(&t, worker, close(run_id, 1)).await;
}

async fn a_step_of_a_terminated_run_is_lost(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    assert!(t.store.terminate_run(run_id, "enough").await.expect("runs can be terminated"));
    assert_lost(&t, worker, keep(run_id, 0, "one")).await;
    assert_eq!(t.record(run_id).await.status, RunStatus::Terminated);
}

async fn assert_fenced(t: &StoreUnderTest, worker: WorkerLease, run_id: RunId) {
    for step in [keep(run_id, 0, "late"), park(run_id, 0, None, 0), close(run_id, 0)] {
        let outcome = t.store.commit_steps(worker, &[&step]).await;
        assert!(matches!(outcome, Err(StoreError::Fenced)), "{outcome:?}");
    }
    let run = t.record(run_id).await;
    assert_eq!((run.state.as_str(), run.step_no), ("start", StepNo(0)));
}

async fn a_worker_whose_lease_has_run_out_cannot_commit(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    t.clock.advance(LONGER_THAN_LEASE);
    assert_fenced(&t, worker, run_id).await;
}

async fn a_worker_that_was_fenced_cannot_commit(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    t.store.fence_workers(&[worker.worker_id]).await.expect("workers can be fenced");
    assert_fenced(&t, worker, run_id).await;
}

async fn a_worker_of_another_epoch_cannot_commit(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    let other = WorkerLease { epoch: Epoch(worker.epoch.0 + 1), ..worker };
    assert_fenced(&t, other, run_id).await;
}

async fn a_fenced_worker_that_wakes_up_cannot_commit_what_it_still_knows(t: StoreUnderTest) {
    let paused = t.worker().await;
    let run_id = t.start_owned("a", paused).await;
    t.clock.advance(LONGER_THAN_LEASE);
    let next = t.worker().await;
    t.store.fence_expired_workers().await.expect("workers can be fenced");
    assert_eq!(t.claim_ids(next, 1).await, [run_id]);
    assert_fenced(&t, paused, run_id).await;
    assert_eq!(t.commit(next, keep(run_id, 0, "one")).await, CommitOutcome::Committed);
}

async fn a_batch_has_mixed_outcomes_in_its_order(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run = async |id: &str| t.start_owned(id, worker).await;
    let (a, b, c, d) = (run("a").await, run("b").await, run("c").await, run("d").await);
    let steps = vec![keep(a, 7, "x"), close(b, 0), keep(c, 0, "x"), close(d, 7)];
    assert_eq!(
        t.commit_all(worker, steps).await,
        [
            CommitOutcome::Lost,
            CommitOutcome::Committed,
            CommitOutcome::Committed,
            CommitOutcome::Lost,
        ]
    );
    assert_eq!(t.record(a).await.step_no, StepNo(0));
    assert_eq!(t.record(b).await.status, RunStatus::Completed);
    assert_eq!(t.record(c).await.state, "x");
    assert_eq!(t.record(d).await.status, RunStatus::Running);
}

async fn a_batch_may_do_everything_at_once(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run = async |id: &str| t.start_owned(id, worker).await;
    let (kept, parked) = (run("kept").await, run("parked").await);
    let (closed, blocked) = (run("closed").await, run("blocked").await);
    for run_id in [kept, parked, closed, blocked] {
        t.deliver(signal(run_id, "x")).await;
    }
    let mut steps =
        vec![block(blocked, 0), keep(kept, 0, "kept"), close(closed, 0), park(parked, 0, None, 1)];
    steps[1].consumed = vec![1];
    steps[3].consumed = vec![1];
    assert_eq!(t.commit_all(worker, steps).await, [CommitOutcome::Committed; 4]);
    assert_eq!(t.record(kept).await.owner, Some(worker.worker_id));
    assert_eq!(t.record(parked).await.owner, None);
    assert_eq!(t.record(closed).await.status, RunStatus::Completed);
    assert_eq!(t.record(blocked).await.status, RunStatus::Blocked);
    assert_eq!(t.inbox(kept).await, NOTHING);
    assert_eq!(t.inbox(parked).await, NOTHING);
    assert_eq!(t.inbox(closed).await, [1], "it has not taken the signal");
    assert_eq!(t.inbox(blocked).await, [1]);
}

async fn an_empty_batch_does_nothing(t: StoreUnderTest) {
    let worker = t.worker().await;
    assert_eq!(t.commit_all(worker, Vec::new()).await, []);
}

async fn start_many(t: &StoreUnderTest, worker: WorkerLease, count: usize) -> Vec<RunId> {
    let runs: Vec<NewRun> = (0..count)
        .map(|n| NewRun { owner: Some(worker), ..new_run(&format!("run-{n}")) })
        .collect();
    let run_ids = runs.iter().map(|run| run.run_id).collect();
    t.start_all(runs).await;
    run_ids
}

async fn a_large_batch_commits_whole(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_ids = start_many(&t, worker, 500).await;
    let steps = run_ids.iter().map(|run_id| keep(*run_id, 0, "one")).collect();
    assert_eq!(t.commit_all(worker, steps).await, vec![CommitOutcome::Committed; 500]);
    assert_eq!(t.record(run_ids[499]).await.state, "one");
}

async fn a_large_batch_of_closings_commits_whole(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_ids = start_many(&t, worker, 500).await;
    let steps = run_ids.iter().map(|run_id| close(*run_id, 0)).collect();
    assert_eq!(t.commit_all(worker, steps).await, vec![CommitOutcome::Committed; 500]);
    let completed = filter::status().equals(RunStatus::Completed);
    let counts = t.store.count_runs(&completed, None).await.expect("runs can be counted");
    assert_eq!(counts[0].runs, 500);
}

async fn what_was_used_up_is_gone(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    t.deliver_all((0..4).map(|_| signal(run_id, "x")).collect()).await;
    let mut step = keep(run_id, 0, "one");
    step.consumed = vec![3, 1];
    assert_eq!(t.commit(worker, step).await, CommitOutcome::Committed);
    assert_eq!(t.inbox(run_id).await, [2, 4]);
}

async fn what_a_lost_step_used_up_stays(t: StoreUnderTest) {
    let worker = t.worker().await;
    let (lost, other) = (t.start_owned("a", worker).await, t.start_owned("b", worker).await);
    t.deliver_all(vec![signal(lost, "x"), signal(other, "x")]).await;
    let mut steps = vec![keep(lost, 4, "one"), keep(other, 0, "one")];
    steps.iter_mut().for_each(|step| step.consumed = vec![1]);
    t.commit_all(worker, steps).await;
    assert_eq!(t.inbox(lost).await, [1]);
    assert_eq!(t.inbox(other).await, NOTHING);
}

async fn using_up_what_is_not_there_does_nothing(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    t.deliver(signal(run_id, "x")).await;
    let mut step = keep(run_id, 0, "one");
    step.consumed = vec![7];
    assert_eq!(t.commit(worker, step).await, CommitOutcome::Committed);
    assert_eq!(t.inbox(run_id).await, [1]);
}

async fn using_up_leaves_other_runs_alone(t: StoreUnderTest) {
    let worker = t.worker().await;
    let (one, two) = (t.start_owned("a", worker).await, t.start_owned("b", worker).await);
    t.deliver_all(vec![signal(one, "x"), signal(two, "x"), signal(two, "y")]).await;
    let mut step = keep(one, 0, "one");
    step.consumed = vec![1, 2];
    t.commit(worker, step).await;
    assert_eq!(t.inbox(two).await, [1, 2]);
}

async fn many_arrivals_are_used_up_at_once(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    t.deliver_all((0..700).map(|_| signal(run_id, "x")).collect()).await;
    let mut step = keep(run_id, 0, "one");
    step.consumed = (1..=699).collect();
    assert_eq!(t.commit(worker, step).await, CommitOutcome::Committed);
    assert_eq!(t.inbox(run_id).await, [700]);
}
