//! Leases, epochs and fencing.

use std::time::Duration;

use crate::model::{Epoch, RunStatus, StepNo, WorkerId};
use crate::store::conformance::fixture::{
    LEASE, LONGER_THAN_LEASE, StoreUnderTest, block, close, keep, new_worker, park,
};
use crate::store::{CommitOutcome, NewWorker, Renewal, WorkerLease};

crate::store::conformance::list_cases!("ownership":
    every_worker_gets_another_id,
    workers_are_listed_with_what_they_said,
    renewing_moves_the_end_of_the_lease,
    renewing_may_change_the_length,
    a_lease_that_has_run_out_cannot_be_renewed,
    a_fenced_lease_cannot_be_renewed,
    an_unknown_lease_cannot_be_renewed,
    another_epoch_cannot_be_renewed,
    a_released_worker_is_gone,
    releasing_makes_runs_due_without_a_takeover,
    releasing_twice_does_nothing,
    releasing_after_fencing_takes_nothing_from_the_next_owner,
    releasing_leaves_others_alone,
    nothing_is_fenced_while_leases_last,
    an_expired_worker_is_fenced_once,
    fencing_makes_runs_due_and_counts_a_takeover,
    fencing_leaves_parked_and_closed_runs_alone,
    fencing_leaves_valid_workers_alone,
    fencing_several_workers_counts_all_their_runs,
    takeovers_add_up_and_a_commit_clears_them,
    a_blocked_run_keeps_its_takeovers,
    a_worker_known_to_be_dead_is_fenced_at_once,
    fencing_unknown_workers_does_nothing,
    fencing_nobody_does_nothing,
    a_fenced_worker_is_not_listed,
    a_living_worker_is_not_found_dead,
);

async fn fence_expired(t: &StoreUnderTest) -> (Vec<WorkerId>, u64) {
    t.store.fence_expired_workers().await.expect("workers can be fenced")
}

async fn renew(t: &StoreUnderTest, worker: WorkerLease) -> Renewal {
    t.store.renew_lease(worker, LEASE).await.expect("renewals are answered")
}

async fn every_worker_gets_another_id(t: StoreUnderTest) {
    let first = t.worker().await;
    t.store.release_worker(first).await.expect("a worker can leave");
    let second = t.worker().await;
    assert_ne!(first.worker_id, second.worker_id);
    assert_ne!(second.worker_id, t.worker().await.worker_id);
}

async fn workers_are_listed_with_what_they_said(t: StoreUnderTest) {
    let said =
        NewWorker { host: "there".into(), pid: u32::MAX, lease: Duration::from_millis(1_500) };
    let lease = t.store.register_worker(said.clone()).await.expect("a worker can register");
    let listed = t.store.list_workers().await.expect("workers can be listed");
    assert_eq!(listed, [(lease, said)]);
}

async fn renewing_moves_the_end_of_the_lease(t: StoreUnderTest) {
    let worker = t.worker().await;
    for _ in 0..5 {
        t.clock.advance(LEASE - Duration::from_secs(1));
        assert_eq!(renew(&t, worker).await, Renewal::Renewed(t.now() + LEASE));
    }
    assert!(t.try_claim(worker, 1).await.is_ok());
}

async fn renewing_may_change_the_length(t: StoreUnderTest) {
    let worker = t.worker().await;
    let long = Duration::from_secs(3_600);
    let renewal = t.store.renew_lease(worker, long).await.expect("renewals are answered");
    assert_eq!(renewal, Renewal::Renewed(t.now() + long));
    t.clock.advance(long - Duration::from_secs(1));
    assert!(t.try_claim(worker, 1).await.is_ok());
}

async fn a_lease_that_has_run_out_cannot_be_renewed(t: StoreUnderTest) {
    let worker = t.worker().await;
    t.clock.advance(LEASE);
    assert_eq!(renew(&t, worker).await, Renewal::Fenced);
}

async fn a_fenced_lease_cannot_be_renewed(t: StoreUnderTest) {
    let worker = t.worker().await;
    t.store.fence_workers(&[worker.worker_id]).await.expect("workers can be fenced");
    assert_eq!(renew(&t, worker).await, Renewal::Fenced);
}

async fn an_unknown_lease_cannot_be_renewed(t: StoreUnderTest) {
    let unknown = WorkerLease { worker_id: WorkerId(987), epoch: Epoch(1) };
    assert_eq!(renew(&t, unknown).await, Renewal::Fenced);
}

async fn another_epoch_cannot_be_renewed(t: StoreUnderTest) {
    let worker = t.worker().await;
    let other = WorkerLease { epoch: Epoch(worker.epoch.0 + 1), ..worker };
    assert_eq!(renew(&t, other).await, Renewal::Fenced);
    assert_eq!(renew(&t, worker).await, Renewal::Renewed(t.now() + LEASE));
}

async fn a_released_worker_is_gone(t: StoreUnderTest) {
    let worker = t.worker().await;
    t.store.release_worker(worker).await.expect("a worker can leave");
    assert_eq!(renew(&t, worker).await, Renewal::Fenced);
    assert!(t.try_claim(worker, 1).await.is_err());
    assert!(t.store.list_workers().await.expect("workers can be listed").is_empty());
}

async fn releasing_makes_runs_due_without_a_takeover(t: StoreUnderTest) {
    let (worker, next) = (t.worker().await, t.worker().await);
    let run_id = t.start_owned("a", worker).await;
    t.clock.advance(Duration::from_secs(1));
    t.store.release_worker(worker).await.expect("a worker can leave");
    let record = t.record(run_id).await;
    assert_eq!((record.owner, record.due_at), (None, Some(t.now())));
    let [run] = &t.claim(next, 1).await[..] else { panic!("the run is due") };
    assert_eq!(run.takeovers, 0);
}

async fn releasing_twice_does_nothing(t: StoreUnderTest) {
    let worker = t.worker().await;
    t.store.release_worker(worker).await.expect("a worker can leave");
    t.store.release_worker(worker).await.expect("leaving twice does no harm");
}

async fn releasing_after_fencing_takes_nothing_from_the_next_owner(t: StoreUnderTest) {
    let (worker, next) = (t.worker().await, t.worker().await);
    let run_id = t.start_owned("a", worker).await;
    t.store.fence_workers(&[worker.worker_id]).await.expect("workers can be fenced");
    t.claim(next, 1).await;
    t.store.release_worker(worker).await.expect("leaving late does no harm");
    assert_eq!(t.record(run_id).await.owner, Some(next.worker_id));
}

async fn releasing_leaves_others_alone(t: StoreUnderTest) {
    let (worker, other) = (t.worker().await, t.worker().await);
    let run_id = t.start_owned("a", other).await;
    t.store.release_worker(worker).await.expect("a worker can leave");
    assert_eq!(t.record(run_id).await.owner, Some(other.worker_id));
    assert_eq!(renew(&t, other).await, Renewal::Renewed(t.now() + LEASE));
}

async fn nothing_is_fenced_while_leases_last(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    t.clock.advance(LEASE - Duration::from_micros(1));
    assert_eq!(fence_expired(&t).await, (vec![], 0));
    assert_eq!(t.record(run_id).await.owner, Some(worker.worker_id));
}

async fn an_expired_worker_is_fenced_once(t: StoreUnderTest) {
    let worker = t.worker().await;
    t.clock.advance(LEASE);
    assert_eq!(fence_expired(&t).await, (vec![worker.worker_id], 0));
    assert_eq!(fence_expired(&t).await, (vec![], 0));
}

async fn fencing_makes_runs_due_and_counts_a_takeover(t: StoreUnderTest) {
    let worker = t.worker().await;
    let run_id = t.start_owned("a", worker).await;
    t.clock.advance(LONGER_THAN_LEASE);
    let next = t.worker().await;
    assert_eq!(fence_expired(&t).await, (vec![worker.worker_id], 1));
    let record = t.record(run_id).await;
    assert_eq!((record.owner, record.due_at), (None, Some(t.now())));
    let [run] = &t.claim(next, 1).await[..] else { panic!("the run is due") };
    assert_eq!((run.run_id, run.takeovers), (run_id, 1));
}

async fn fencing_leaves_parked_and_closed_runs_alone(t: StoreUnderTest) {
    let worker = t.worker().await;
    let (parked, closed) = (t.start_owned("a", worker).await, t.start_owned("b", worker).await);
    t.commit_all(worker, vec![park(parked, 0, None, 0), close(closed, 0)]).await;
    t.clock.advance(LONGER_THAN_LEASE);
    assert_eq!(fence_expired(&t).await, (vec![worker.worker_id], 0));
    assert_eq!(t.record(parked).await.due_at, None);
    assert_eq!(t.record(closed).await.status, RunStatus::Completed);
}

async fn fencing_leaves_valid_workers_alone(t: StoreUnderTest) {
    let expired = t.worker().await;
    t.start_owned("a", expired).await;
    t.clock.advance(LONGER_THAN_LEASE);
    let valid = t.worker().await;
    let run_id = t.start_owned("b", valid).await;
    assert_eq!(fence_expired(&t).await, (vec![expired.worker_id], 1));
    assert_eq!(t.commit(valid, keep(run_id, 0, "one")).await, CommitOutcome::Committed);
}

async fn fencing_several_workers_counts_all_their_runs(t: StoreUnderTest) {
    let (one, two) = (t.worker().await, t.worker().await);
    for (id, owner) in [("a", one), ("b", one), ("c", two)] {
        t.start_owned(id, owner).await;
    }
    t.clock.advance(LONGER_THAN_LEASE);
    let (mut fenced, let_go) = fence_expired(&t).await;
    fenced.sort_unstable();
    assert_eq!((fenced, let_go), (vec![one.worker_id, two.worker_id], 3));
}

async fn takeovers_add_up_and_a_commit_clears_them(t: StoreUnderTest) {
    let run_id = t.start("a").await;
    for takeovers in 0..3 {
        let worker = t.worker().await;
        let [run] = &t.claim(worker, 1).await[..] else { panic!("the run is due") };
        assert_eq!(run.takeovers, takeovers);
        t.store.fence_workers(&[worker.worker_id]).await.expect("workers can be fenced");
    }
    let worker = t.worker().await;
    assert_eq!(t.claim(worker, 1).await[0].takeovers, 3);
    assert_eq!(t.commit(worker, keep(run_id, 0, "one")).await, CommitOutcome::Committed);
    t.store.fence_workers(&[worker.worker_id]).await.expect("workers can be fenced");
    let worker = t.worker().await;
    let [run] = &t.claim(worker, 1).await[..] else { panic!("the run is due") };
    assert_eq!((run.takeovers, run.step_no), (1, StepNo(1)));
    t.commit(worker, park(run_id, 1, Some(t.now()), 0)).await;
    assert_eq!(t.claim(worker, 1).await[0].takeovers, 0);
}

async fn a_blocked_run_keeps_its_takeovers(t: StoreUnderTest) {
    let dead = t.worker().await;
    let run_id = t.start_owned("a", dead).await;
    t.store.fence_workers(&[dead.worker_id]).await.expect("workers can be fenced");
    let worker = t.worker().await;
    assert_eq!(t.claim(worker, 1).await[0].takeovers, 1);
    t.commit(worker, block(run_id, 0)).await;
    t.store.unblock_runs(&[], Some(run_id)).await.expect("it can be unblocked");
    assert_eq!(t.claim(worker, 1).await[0].takeovers, 1);
}

async fn a_worker_known_to_be_dead_is_fenced_at_once(t: StoreUnderTest) {
    let (dead, living) = (t.worker().await, t.worker().await);
    let run_id = t.start_owned("a", dead).await;
    let let_go = t.store.fence_workers(&[dead.worker_id]).await;
    assert_eq!(let_go.expect("workers can be fenced"), 1);
    assert_eq!(renew(&t, living).await, Renewal::Renewed(t.now() + LEASE));
    let [run] = &t.claim(living, 1).await[..] else { panic!("the run is due") };
    assert_eq!((run.run_id, run.takeovers), (run_id, 1));
    let again = t.store.fence_workers(&[dead.worker_id]).await;
    assert_eq!(again.expect("fencing twice does no harm"), 0);
    assert_eq!(t.record(run_id).await.owner, Some(living.worker_id));
}

async fn fencing_unknown_workers_does_nothing(t: StoreUnderTest) {
    let worker = t.worker().await;
    let let_go = t.store.fence_workers(&[WorkerId(worker.worker_id.0 + 99)]).await;
    assert_eq!(let_go.expect("there is nothing to do"), 0);
    assert_eq!(renew(&t, worker).await, Renewal::Renewed(t.now() + LEASE));
}

async fn fencing_nobody_does_nothing(t: StoreUnderTest) {
    assert_eq!(t.store.fence_workers(&[]).await.expect("there is nothing to do"), 0);
}

async fn a_fenced_worker_is_not_listed(t: StoreUnderTest) {
    let (fenced, valid) = (t.worker().await, t.worker().await);
    t.store.fence_workers(&[fenced.worker_id]).await.expect("workers can be fenced");
    let listed = t.store.list_workers().await.expect("workers can be listed");
    assert_eq!(listed, [(valid, new_worker())]);
}

async fn a_living_worker_is_not_found_dead(t: StoreUnderTest) {
    t.worker().await;
    t.other.register_worker(new_worker()).await.expect("a worker can register");
    for store in [&t.store, &t.other] {
        assert_eq!(store.find_dead_workers().await.expect("the dead can be looked for"), []);
    }
}
