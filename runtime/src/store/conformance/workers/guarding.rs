//! Every call of an owner is refused for a worker without a valid lease.

use std::time::Duration;

use crate::error::StoreError;
use crate::model::{BlockedReason, Epoch, RunId, RunStatus, StepNo};
use crate::store::conformance::fixture::{
    LEASE, LONGER_THAN_LEASE, StoreUnderTest, activity, beat, by_worker, close, keep, key, new_run,
    outcome, park, retry, signal,
};
use crate::store::{
    ArrivalOutcome, ClaimedActivity, CommitOutcome, CommitStep, Disposition, FinishOutcome,
    HeartbeatOutcome, NewArrival, NewRun, Renewal, StartOutcome, WorkerLease,
};

crate::store::conformance::list_cases!("guarding":
    a_fenced_worker_stays_fenced_when_the_clock_is_set_back,
    a_released_worker_is_refused_though_others_have_leases,
    a_worker_whose_lease_has_run_out_is_refused_though_nobody_has_fenced_it,
    a_lease_of_another_epoch_is_none,
    one_owner_is_not_another,
    what_is_given_while_its_worker_is_fenced_is_nobodys,
);

/// What one worker owns, and what it could claim.
struct Scene {
    worker: WorkerLease,
    other: WorkerLease,
    /// A run that it owns.
    owned: RunId,
    /// An attempt that it makes.
    made: ClaimedActivity,
    due: RunId,
    blocked: RunId,
}

fn blocks(run_id: RunId) -> CommitStep {
    let reason = BlockedReason::Undecodable("it is of another build".into());
    CommitStep::new(run_id, StepNo(0), Disposition::Block { reason })
}

impl Scene {
    async fn new(t: &StoreUnderTest) -> Self {
        let (worker, other) = (t.worker().await, t.worker().await);
        t.queue(other, vec![activity(0)]).await;
        let made = t.claim_one(worker).await;
        t.queue(other, vec![activity(0)]).await;
        let blocked = t.start_owned("blocked", other).await;
        t.commit(other, blocks(blocked)).await;
        let due = t.start("due").await;
        Self { worker, other, owned: t.start_owned("owned", worker).await, made, due, blocked }
    }

    /// Every call that names a worker, made for one without a valid lease.
    async fn assert_refused(&self, t: &StoreUnderTest, worker: WorkerLease) {
        let fenced = |what: &str, refused: Option<StoreError>| {
            assert!(matches!(refused, Some(StoreError::Fenced)), "{what}: {refused:?}");
        };
        let before = t.record(self.owned).await;
        fenced("claim", t.try_claim(worker, 10).await.err());
        fenced("recover", t.store.recover_claims(worker, &[], 10).await.err());
        let steps = [keep(self.owned, 0, "late"), park(self.owned, 0, None, 0)];
        let used_up = CommitStep { consumed: vec![1], ..keep(self.owned, 0, "late") };
        for step in steps.iter().chain([&used_up]) {
            fenced("commit", t.store.commit_steps(worker, &[step]).await.err());
        }
        fenced("take", t.try_claim_activities(worker, 10).await.err());
        fenced("review", t.store.review_activities(worker, &[]).await.err());
        fenced("adopt", t.store.adopt_blocked(worker, &[self.blocked], 10).await.err());

        let run = NewRun { owner: Some(worker), ..new_run("new") };
        let run_id = run.run_id;
        assert_eq!(t.start_all(vec![run]).await, [StartOutcome::Started { owned: false }]);
        assert!(t.store.terminate_run(run_id, "enough").await.expect("it can be terminated"));
        let own = NewArrival { owner: Some(worker), ..signal(self.owned, "late") };
        assert_eq!(t.deliver(own).await, ArrivalOutcome::NotOwner);
        assert_eq!(t.heartbeat(beat(worker, &self.made, None)).await, HeartbeatOutcome::Stale);
        for end in [outcome(), retry(t.now())] {
            let end = by_worker(worker, &self.made, end);
            assert_eq!(t.finish(end).await, FinishOutcome::Stale);
        }
        let renewed = t.store.renew_lease(worker, LEASE).await.expect("renewals are answered");
        assert_eq!(renewed, Renewal::Fenced);

        let after = t.record(self.owned).await;
        assert_eq!((after.owner, after.step_no), (before.owner, before.step_no));
        assert_eq!(t.record(self.due).await.owner, None);
        assert_eq!(t.record(self.blocked).await.status, RunStatus::Blocked);
    }
}

/// By the clock alone, its lease would still be valid.
async fn a_fenced_worker_stays_fenced_when_the_clock_is_set_back(t: StoreUnderTest) {
    let scene = Scene::new(&t).await;
    let before = t.now();
    t.clock.advance(LONGER_THAN_LEASE);
    t.store.renew_lease(scene.other, LEASE).await.expect("renewals are answered");
    t.store.fence_expired_workers().await.expect("workers can be fenced");
    t.clock.set(before + Duration::from_secs(1));
    scene.assert_refused(&t, scene.worker).await;
    assert_eq!(t.record(scene.owned).await.owner, None);
}

async fn a_released_worker_is_refused_though_others_have_leases(t: StoreUnderTest) {
    let scene = Scene::new(&t).await;
    t.store.release_worker(scene.worker).await.expect("a worker can leave");
    scene.assert_refused(&t, scene.worker).await;
    assert_eq!(t.record(scene.owned).await.owner, None);
}

async fn a_worker_whose_lease_has_run_out_is_refused_though_nobody_has_fenced_it(
    t: StoreUnderTest,
) {
    let scene = Scene::new(&t).await;
    t.clock.advance(LEASE);
    // Another's lease lasts.
    t.worker().await;
    scene.assert_refused(&t, scene.worker).await;
    assert_eq!(t.record(scene.owned).await.owner, Some(scene.worker.worker_id));
}

async fn a_lease_of_another_epoch_is_none(t: StoreUnderTest) {
    let scene = Scene::new(&t).await;
    for epoch in [scene.worker.epoch.0 - 1, scene.worker.epoch.0 + 1] {
        let lease = WorkerLease { epoch: Epoch(epoch), ..scene.worker };
        scene.assert_refused(&t, lease).await;
        t.store.release_worker(lease).await.expect("it does no harm");
    }
    let made = t.activity(scene.made.key).await.expect("it has not ended");
    assert_eq!((made.worker, made.interruptions), (Some(scene.worker), 0));
    let listed = t.store.list_workers().await.expect("workers can be listed");
    assert!(listed.iter().any(|(lease, _)| *lease == scene.worker));
    assert_eq!(t.record(scene.owned).await.owner, Some(scene.worker.worker_id));
}

/// Both may own runs, and each owns only its own.
async fn one_owner_is_not_another(t: StoreUnderTest) {
    let Scene { worker, other, owned, made, .. } = Scene::new(&t).await;
    for step in [keep(owned, 0, "stolen"), park(owned, 0, None, 0), close(owned, 0)] {
        assert_eq!(t.commit(other, step).await, CommitOutcome::Lost);
    }
    let arrival = NewArrival { owner: Some(other), ..signal(owned, "stolen") };
    assert_eq!(t.deliver(arrival).await, ArrivalOutcome::NotOwner);
    assert_eq!(t.heartbeat(beat(other, &made, None)).await, HeartbeatOutcome::Stale);
    assert_eq!(t.finish(by_worker(other, &made, outcome())).await, FinishOutcome::Stale);
    let recovered = t.store.recover_claims(worker, &[], 10).await.expect("it can be asked for");
    assert_eq!(recovered.iter().map(|run| run.run_id).collect::<Vec<_>>(), [owned]);
    let held = [(made.key, made.attempt)];
    let reviewed = t.store.review_activities(other, &held).await.expect("it can be asked for");
    assert_eq!((reviewed.lost, reviewed.strays.len()), (vec![made.key], 0));
    let reviewed = t.store.review_runs(other, &[(owned, 0)]).await.expect("it can be asked for");
    assert_eq!((reviewed.lost, reviewed.unread), (vec![owned], vec![]));
    assert_eq!(t.activity(made.key).await.and_then(|it| it.worker), Some(worker));
}

/// Either the claim came first and was undone by the fencing, or the fencing came first and there was no claim.
async fn what_is_given_while_its_worker_is_fenced_is_nobodys(t: StoreUnderTest) {
    let owner = t.worker().await;
    let run_id = t.queue(owner, vec![activity(0)]).await;
    for round in 0..20 {
        let worker = t.worker().await;
        let due = t.start("due").await;
        let blocked = t.start_owned("blocked", owner).await;
        t.commit(owner, blocks(blocked)).await;
        let started = NewRun { owner: Some(worker), ..new_run("started") };
        let run_ids = [due, blocked, started.run_id];
        let (claimed, taken, adopted, started, fenced) = tokio::join!(
            t.try_claim(worker, 10),
            t.try_claim_activities(worker, 10),
            t.store.adopt_blocked(worker, &run_ids[1..2], 10),
            t.other.start_runs(vec![started]),
            t.other.fence_workers(std::slice::from_ref(&worker.worker_id)),
        );
        fenced.expect("workers can be fenced");
        started.expect("runs can be started");
        for refused in [claimed.err(), taken.err(), adopted.err()].into_iter().flatten() {
            assert!(matches!(refused, StoreError::Fenced), "{refused:?}");
        }
        for run_id in run_ids {
            assert_eq!(t.record(run_id).await.owner, None, "round {round}");
            t.store.terminate_run(run_id, "enough").await.expect("it can be terminated");
        }
        let waiting = t.activity(key(run_id, 0)).await.expect("it has not ended");
        assert_eq!((waiting.worker, waiting.due_at.is_some()), (None, true), "round {round}");
    }
}
