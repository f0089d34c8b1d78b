//! Each transition locks the rows that it relies on in a fixed order, independent of the order of its arguments:
//! workers, runs and activities, each ascending. So there are no deadlocks.

use std::sync::Arc;

use piton::error::StoreError;
use piton::model::{Handle, RunId};
use piton::store::{
    ActivityEnd, ActivityHeartbeat, ClaimedActivity, CommitStep, Effect, FinishActivity,
    NewArrival, NewRun, Reporter, Store, WorkerLease,
};

use super::scene::{
    Row, Scene, activity, beat, claim, claim_activities, end, ended, outcome, retry, signal,
};
use crate::fixture::{keep, new_run};

/// Locks each of the rows in turn. The call that waits for it must hold those before it and none after it.
pub(super) async fn locks_in_order<C>(
    scene: &mut Scene,
    order: &[Row],
    call: impl Fn(Arc<dyn Store>) -> C,
) where
    C: Future<Output = Result<(), StoreError>> + Send + 'static,
{
    for (at, held) in order.iter().enumerate() {
        scene.lock(*held).await;
        let waiting = tokio::spawn(call(Arc::clone(&scene.store)));
        scene.until_waiting_at(held.table(), 1).await;
        for before in &order[..at] {
            assert!(scene.is_locked(*before).await, "{before:?} is not locked before {held:?}");
        }
        for after in &order[at + 1..] {
            assert!(scene.is_free(*after).await, "{after:?} is locked before {held:?}");
        }
        scene.cancel_waiting().await;
        ended(waiting).await.expect_err("it has been cancelled");
        scene.commit().await;
    }
    ended(tokio::spawn(call(Arc::clone(&scene.store)))).await.expect("nothing is in its way");
}

/// Two workers, two runs of the first, and attempts of two activities of each run: those of the first
/// activity by the first worker.
struct Crowd {
    workers: [WorkerLease; 2],
    runs: [RunId; 2],
    /// In order, each with its worker.
    attempts: Vec<(WorkerLease, ClaimedActivity)>,
}

impl Crowd {
    async fn gather(scene: &Scene) -> Self {
        let (one, two) = scene.workers().await;
        let (first, second) = scene.runs(Some(one)).await;
        let mut attempts = Vec::new();
        for (handle, maker) in [(0, one), (1, two)] {
            for run_id in [second, first] {
                let asks = CommitStep {
                    effects: vec![Effect::Enqueue(activity(handle))],
                    ..keep(run_id, handle.cast_signed())
                };
                scene.store.commit_steps(one, &[&asks]).await.expect("a valid worker can commit");
            }
            let made = claim_activities(&*scene.store, maker, 10).await;
            let made = made.expect("a valid worker can claim");
            attempts.extend(made.into_iter().map(|made| (maker, made)));
        }
        attempts.sort_by_key(|(_, made)| made.key);
        assert_eq!(attempts.len(), 4);
        Self { workers: [one, two], runs: [first, second], attempts }
    }

    fn workers(&self) -> impl Iterator<Item = Row> {
        self.workers.into_iter().map(Row::Worker)
    }

    fn runs(&self) -> impl Iterator<Item = Row> {
        self.runs.into_iter().map(Row::Run)
    }

    fn attempts(&self) -> impl Iterator<Item = Row> {
        self.attempts.iter().map(|(_, made)| Row::Activity(made.key))
    }

    /// In reverse order.
    fn ends(
        &self,
        how: fn() -> ActivityEnd,
        by: fn(WorkerLease) -> Reporter,
    ) -> Vec<FinishActivity> {
        let end = |(maker, made): &(WorkerLease, ClaimedActivity)| FinishActivity {
            reporter: by(*maker),
            ..end(*maker, made, how())
        };
        self.attempts.iter().rev().map(end).collect()
    }

    /// In reverse order.
    fn beats(&self) -> Vec<ActivityHeartbeat> {
        self.attempts.iter().rev().map(|(maker, made)| beat(*maker, made)).collect()
    }
}

pub(crate) async fn commits_lock_in_order(url: String) {
    let mut scene = Scene::new(url).await;
    let worker = scene.worker().await;
    let (first, second) = scene.runs(Some(worker)).await;
    let [w, one, two] = [Row::Worker(worker), Row::Run(first), Row::Run(second)];
    locks_in_order(&mut scene, &[w, one], move |store| async move {
        store.commit_steps(worker, &[&keep(first, 0)]).await.map(drop)
    })
    .await;
    locks_in_order(&mut scene, &[w, one, two], move |store| async move {
        store.commit_steps(worker, &[&keep(second, 0), &keep(first, 1)]).await.map(drop)
    })
    .await;
    let made = scene.attempts(worker, &[(second, 0), (second, 1)], 1, worker).await;
    let [three, four] = [0, 1].map(|at| Row::Activity(made[at].key));
    locks_in_order(&mut scene, &[w, one, two, three, four], move |store| async move {
        let effects = vec![Effect::GiveUp(Handle(1)), Effect::GiveUp(Handle(0))];
        let gives_up = CommitStep { effects, ..keep(second, 3) };
        store.commit_steps(worker, &[&gives_up, &keep(first, 2)]).await.map(drop)
    })
    .await;
}

pub(crate) async fn claims_lock_their_worker(url: String) {
    let mut scene = Scene::new(url).await;
    let crowd = Crowd::gather(&scene).await;
    let worker = crowd.workers[1];
    scene.run(None).await;
    locks_in_order(&mut scene, &[Row::Worker(worker)], move |store| async move {
        claim(&*store, worker, 10).await.map(drop)
    })
    .await;
    let asks = CommitStep { effects: vec![Effect::Enqueue(activity(2))], ..keep(crowd.runs[0], 2) };
    scene.store.commit_steps(crowd.workers[0], &[&asks]).await.expect("a valid worker can commit");
    locks_in_order(&mut scene, &[Row::Worker(worker)], move |store| async move {
        claim_activities(&*store, worker, 10).await.map(drop)
    })
    .await;
}

pub(crate) async fn starts_lock_their_owners_in_order(url: String) {
    let mut scene = Scene::new(url).await;
    let (one, two) = scene.workers().await;
    locks_in_order(&mut scene, &[Row::Worker(one), Row::Worker(two)], move |store| async move {
        let of = |owner| NewRun { owner: Some(owner), ..new_run(None) };
        store.start_runs(vec![of(two), of(one)]).await.map(drop)
    })
    .await;
}

pub(crate) async fn arrivals_lock_in_order(url: String) {
    let mut scene = Scene::new(url).await;
    let (one, two) = scene.workers().await;
    let (first, _) = scene.runs(Some(one)).await;
    let (second, _) = scene.runs(Some(two)).await;
    let order = [Row::Worker(one), Row::Worker(two), Row::Run(first), Row::Run(second)];
    locks_in_order(&mut scene, &order, move |store| async move {
        let own = |run_id, owner| NewArrival { owner: Some(owner), ..signal(run_id) };
        store.deliver(vec![own(second, two), own(first, one)]).await.map(drop)
    })
    .await;
}

async fn ends_lock_in_order(
    url: String,
    how: fn() -> ActivityEnd,
    by: fn(WorkerLease) -> Reporter,
    order: fn(&Crowd) -> Vec<Row>,
) {
    let mut scene = Scene::new(url).await;
    let crowd = Arc::new(Crowd::gather(&scene).await);
    let order = order(&crowd);
    locks_in_order(&mut scene, &order, move |store| {
        let ends = crowd.ends(how, by);
        async move { store.finish_activities(ends).await.map(drop) }
    })
    .await;
}

pub(crate) async fn outcomes_of_attempts_lock_in_order(url: String) {
    let order =
        |crowd: &Crowd| crowd.workers().chain(crowd.runs()).chain(crowd.attempts()).collect();
    ends_lock_in_order(url, outcome, Reporter::Worker, order).await;
}

pub(crate) async fn outcomes_by_token_lock_in_order(url: String) {
    let order = |crowd: &Crowd| crowd.runs().chain(crowd.attempts()).collect();
    ends_lock_in_order(url, outcome, |_| Reporter::Token, order).await;
}

/// The runs get no arrivals.
pub(crate) async fn ends_of_attempts_without_outcome_lock_in_order(url: String) {
    let order = |crowd: &Crowd| crowd.workers().chain(crowd.attempts()).collect();
    ends_lock_in_order(url, retry, Reporter::Worker, order).await;
}

pub(crate) async fn signs_of_life_lock_in_order(url: String) {
    let mut scene = Scene::new(url).await;
    let crowd = Arc::new(Crowd::gather(&scene).await);
    let order: Vec<Row> = crowd.workers().chain(crowd.attempts()).collect();
    locks_in_order(&mut scene, &order, move |store| {
        let beats = crowd.beats();
        async move { store.heartbeat_activities(beats).await.map(drop) }
    })
    .await;
}

pub(crate) async fn fencing_locks_in_order(url: String) {
    let mut scene = Scene::new(url).await;
    let crowd = Crowd::gather(&scene).await;
    let order: Vec<Row> = crowd.workers().chain(crowd.runs()).chain(crowd.attempts()).collect();
    let [one, two] = crowd.workers;
    locks_in_order(&mut scene, &order, move |store| async move {
        store.fence_workers(&[two.worker_id, one.worker_id]).await.map(drop)
    })
    .await;
}

pub(crate) async fn a_release_locks_in_order(url: String) {
    let mut scene = Scene::new(url).await;
    let worker = scene.worker().await;
    let (first, second) = scene.runs(Some(worker)).await;
    let made = scene.attempts(worker, &[(first, 0), (first, 1)], 0, worker).await;
    let [one, two] = [0, 1].map(|at| Row::Activity(made[at].key));
    let order = [Row::Worker(worker), Row::Run(first), Row::Run(second), one, two];
    locks_in_order(
        &mut scene,
        &order,
        move |store| async move { store.release_worker(worker).await },
    )
    .await;
}

pub(crate) async fn unblocking_runs_locks_in_order(url: String) {
    let mut scene = Scene::new(url).await;
    let (worker, before) = scene.workers().await;
    let (first, second) = scene.runs(Some(before)).await;
    let block = async |scene: &Scene, owner, expected| {
        for run_id in [second, first] {
            scene.block(owner, run_id, expected).await;
        }
    };
    block(&scene, before, 0).await;
    let order = [Row::Worker(worker), Row::Run(first), Row::Run(second)];
    locks_in_order(&mut scene, &order, move |store| async move {
        store.adopt_blocked(worker, &[second, first], 10).await.map(drop)
    })
    .await;
    block(&scene, worker, 1).await;
    locks_in_order(&mut scene, &order[1..], move |store| async move {
        store.unblock_runs(&["order"], None).await.map(drop)
    })
    .await;
}

pub(crate) async fn ending_or_settling_a_run_locks_it(url: String) {
    let mut scene = Scene::new(url).await;
    let run_id = scene.run(None).await;
    locks_in_order(&mut scene, &[Row::Run(run_id)], move |store| async move {
        store.settle_run(run_id).await
    })
    .await;
    locks_in_order(&mut scene, &[Row::Run(run_id)], move |store| async move {
        store.terminate_run(run_id, "enough").await.map(drop)
    })
    .await;
}
