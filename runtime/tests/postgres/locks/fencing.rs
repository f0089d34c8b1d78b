//! A transition that relies on a worker's row delays the fencing of the worker, but not the renewal of its lease.
//! Fencing then sees the result of the transition; otherwise a worker could get rows after fencing has looked for them.

use std::io::Write as _;
use std::process::{Child, Command};
use std::sync::Arc;
use std::time::Duration;

use piton::model::RunId;
use piton::store::{
    ArrivalOutcome, CommitOutcome, CommitStep, Effect, FinishOutcome, HeartbeatOutcome, NewArrival,
    NewRun, NewWorker, Renewal, StartOutcome, Store, WorkerLease,
};

use super::scene::{
    Scene, activity, beat, cancel, claim, claim_activities, close, end, ended, outcome, retry,
    signal,
};
use crate::child::{FENCE, start_child, worker_of};
use crate::fixture::{PATIENCE, keep, new_run, new_worker};

/// Longer than any test.
const LEASE: Duration = Duration::from_secs(3_600);

/// Lets the call wait after its writes to the table, and fences the worker meanwhile. Returns the result of the call
/// and the number of runs that fencing has released.
async fn fence_during<T: Send + 'static>(
    scene: &mut Scene,
    worker: WorkerLease,
    (done, table): (&str, &str),
    call: impl Future<Output = T> + Send + 'static,
) -> (T, u64) {
    scene.bar(done, table).await;
    let call = tokio::spawn(call);
    scene.until_barred(1).await;
    // A renewal changes no column that transitions rely on.
    let renewed = tokio::time::timeout(PATIENCE, scene.other.renew_lease(worker, LEASE)).await;
    let renewed = renewed.expect("it waits for nobody").expect("it can be asked for");
    assert!(matches!(renewed, Renewal::Renewed(_)), "{renewed:?}");
    let other = Arc::clone(&scene.other);
    let fenced = tokio::spawn(async move { other.fence_workers(&[worker.worker_id]).await });
    scene.until_waiting_at("piton_workers", 1).await;
    scene.open_barrier().await;
    let came_to = ended(call).await;
    let let_go = ended(fenced).await.expect("it can be fenced");
    for table in ["piton_runs", "piton_activities"] {
        let owned =
            format!("SELECT count(*) FROM {table} WHERE worker_id = {}", worker.worker_id.0);
        assert_eq!(scene.count(owned).await, 0, "a fenced worker has rows of {table}");
    }
    (came_to, let_go)
}

pub(crate) async fn a_claim_delays_fencing(url: String) {
    let mut scene = Scene::new(url).await;
    let worker = scene.worker().await;
    let run_id = scene.run(None).await;
    let store = Arc::clone(&scene.store);
    let call = async move { claim(&*store, worker, 10).await };
    let (claimed, let_go) = fence_during(&mut scene, worker, ("UPDATE", "piton_runs"), call).await;
    assert_eq!((claimed.expect("it can claim"), let_go), (vec![run_id], 1));
}

pub(crate) async fn a_start_with_an_owner_delays_fencing(url: String) {
    let mut scene = Scene::new(url).await;
    let worker = scene.worker().await;
    let store = Arc::clone(&scene.store);
    let call = async move { store.start_runs(vec![new_run(Some(worker))]).await };
    let started = fence_during(&mut scene, worker, ("INSERT", "piton_runs"), call).await;
    assert_eq!(started.0.expect("it can be started"), [StartOutcome::Started { owned: true }]);
    assert_eq!(started.1, 1);
}

pub(crate) async fn an_adoption_delays_fencing(url: String) {
    let mut scene = Scene::new(url).await;
    let (worker, before) = scene.workers().await;
    let run_id = scene.run(Some(before)).await;
    scene.block(before, run_id, 0).await;
    let store = Arc::clone(&scene.store);
    let call = async move { store.adopt_blocked(worker, &[run_id], 10).await };
    let adopted = fence_during(&mut scene, worker, ("UPDATE", "piton_runs"), call).await;
    assert_eq!((adopted.0.expect("it can be adopted").len(), adopted.1), (1, 1));
}

pub(crate) async fn a_claim_of_activities_delays_fencing(url: String) {
    let mut scene = Scene::new(url).await;
    let (worker, owner) = scene.workers().await;
    let run_id = scene.run(Some(owner)).await;
    let asks = CommitStep { effects: vec![Effect::Enqueue(activity(0))], ..keep(run_id, 0) };
    scene.store.commit_steps(owner, &[&asks]).await.expect("a valid worker can commit");
    let store = Arc::clone(&scene.store);
    let call = async move { claim_activities(&*store, worker, 10).await };
    let (claimed, let_go) =
        fence_during(&mut scene, worker, ("UPDATE", "piton_activities"), call).await;
    assert_eq!((claimed.expect("it can claim").len(), let_go), (1, 0));
    let cut_off = "SELECT interruptions FROM piton_activities WHERE due_at IS NOT NULL";
    assert_eq!(scene.count(cut_off).await, 1);
}

/// For the three kinds of commits.
pub(crate) async fn a_commit_delays_fencing(url: String) {
    async fn commit(store: &dyn Store, worker: WorkerLease, runs: &[RunId]) -> Vec<CommitOutcome> {
        let steps: Vec<_> = runs.iter().map(|run_id| keep(*run_id, 0)).collect();
        let steps: Vec<_> = steps.iter().collect();
        store.commit_steps(worker, &steps).await.expect("a valid worker can commit")
    }
    let mut scene = Scene::new(url).await;
    for count in [1, 2] {
        let worker = scene.worker().await;
        let mut runs = Vec::new();
        for _ in 0..count {
            runs.push(scene.run(Some(worker)).await);
        }
        let store = Arc::clone(&scene.store);
        let call = async move { commit(&*store, worker, &runs).await };
        let (outcomes, let_go) =
            fence_during(&mut scene, worker, ("UPDATE", "piton_runs"), call).await;
        assert_eq!(outcomes, vec![CommitOutcome::Committed; count]);
        assert_eq!(let_go, count as u64);
        scene.remove_barrier("piton_runs").await;
    }
    let worker = scene.worker().await;
    let run_id = scene.run(Some(worker)).await;
    scene.store.deliver(vec![cancel(run_id)]).await.expect("it can be delivered");
    let store = Arc::clone(&scene.store);
    let call = async move { store.commit_steps(worker, &[&close(run_id, 0)]).await };
    let closed = fence_during(&mut scene, worker, ("DELETE", "piton_inbox"), call).await;
    assert_eq!(
        (closed.0.expect("it can be closed"), closed.1),
        (vec![CommitOutcome::Committed], 0)
    );
}

pub(crate) async fn a_delivery_by_the_owner_delays_fencing(url: String) {
    let mut scene = Scene::new(url).await;
    let worker = scene.worker().await;
    let run_id = scene.run(Some(worker)).await;
    let own = NewArrival { owner: Some(worker), ..signal(run_id) };
    let store = Arc::clone(&scene.store);
    let call = async move { store.deliver(vec![own]).await };
    let delivered = fence_during(&mut scene, worker, ("INSERT", "piton_inbox"), call).await;
    let accepted = [ArrivalOutcome::Accepted { seq: 1 }];
    assert_eq!((&*delivered.0.expect("it can be delivered"), delivered.1), (&accepted[..], 1));
}

/// The usual end, and one with a further attempt.
pub(crate) async fn an_end_of_an_attempt_delays_fencing(url: String) {
    let mut scene = Scene::new(url).await;
    for (how, done) in [(outcome(), "DELETE"), (retry(), "UPDATE")] {
        let (worker, owner) = scene.workers().await;
        let run_id = scene.run(Some(owner)).await;
        let made = scene.attempts(owner, &[(run_id, 0)], 0, worker).await;
        let end = end(worker, &made[0], how);
        let store = Arc::clone(&scene.store);
        let call = async move { store.finish_activities(vec![end]).await };
        let (outcomes, _) =
            fence_during(&mut scene, worker, (done, "piton_activities"), call).await;
        assert_eq!(outcomes.expect("attempts can be ended"), [FinishOutcome::Finished]);
        let cut_off = "SELECT coalesce(sum(interruptions), 0)::bigint FROM piton_activities";
        assert_eq!(scene.count(cut_off).await, 0);
        scene.remove_barrier("piton_activities").await;
    }
}

pub(crate) async fn a_heartbeat_delays_fencing(url: String) {
    let mut scene = Scene::new(url).await;
    let (worker, owner) = scene.workers().await;
    let run_id = scene.run(Some(owner)).await;
    let made = scene.attempts(owner, &[(run_id, 0)], 0, worker).await;
    let beats = vec![beat(worker, &made[0])];
    let store = Arc::clone(&scene.store);
    let call = async move { store.heartbeat_activities(beats).await };
    let noted = fence_during(&mut scene, worker, ("UPDATE", "piton_activities"), call).await;
    assert_eq!(noted.0.expect("signs of life can be given"), [HeartbeatOutcome::Noted]);
}

/// A released worker waits for its own commits, and the runs that they have kept are released, too.
pub(crate) async fn a_commit_delays_the_release_of_its_worker(url: String) {
    let mut scene = Scene::new(url).await;
    let worker = scene.worker().await;
    scene.bar("INSERT", "piton_runs").await;
    let store = Arc::clone(&scene.store);
    let run = NewRun { owner: Some(worker), ..new_run(None) };
    let started = tokio::spawn(async move { store.start_runs(vec![run]).await });
    scene.until_barred(1).await;
    let other = Arc::clone(&scene.other);
    let released = tokio::spawn(async move { other.release_worker(worker).await });
    scene.until_waiting_at("piton_workers", 1).await;
    scene.open_barrier().await;
    let started = ended(started).await.expect("it can be started");
    assert_eq!(started, [StartOutcome::Started { owned: true }]);
    ended(released).await.expect("it can be released");
    let due = "SELECT count(*) FROM piton_runs WHERE worker_id IS NULL AND due_at IS NOT NULL";
    assert_eq!(scene.count(due).await, 1);
}

/// A claim during the fencing of its worker waits, and returns nothing.
pub(crate) async fn fencing_delays_a_claim(url: String) {
    let mut scene = Scene::new(url).await;
    let worker = scene.worker().await;
    let owned = scene.run(Some(worker)).await;
    let due = scene.run(None).await;
    scene.bar("UPDATE", "piton_runs").await;
    let other = Arc::clone(&scene.other);
    let fenced = tokio::spawn(async move { other.fence_workers(&[worker.worker_id]).await });
    scene.until_barred(1).await;
    let store = Arc::clone(&scene.store);
    let claimed = tokio::spawn(async move { claim(&*store, worker, 10).await });
    scene.until_waiting_at("piton_workers", 1).await;
    scene.open_barrier().await;
    assert_eq!(ended(fenced).await.expect("it can be fenced"), 1);
    assert_eq!(ended(claimed).await.expect("it is answered"), []);
    let unowned = "SELECT count(*) FROM piton_runs WHERE due_at IS NOT NULL";
    assert_eq!(scene.count(unowned).await, 2, "{owned} {due}");
}

/// A process that is stopped in the middle of fencing, for longer than the server's timeout, does not disturb the
/// others, and another process fences the dead worker.
pub(crate) async fn a_process_stopped_while_fencing_delays_nobody(url: String) {
    fn signal(child: &Child, name: &str) {
        let sent = Command::new("kill").args([name, &child.id().to_string()]).status();
        assert!(sent.expect("it can be started").success());
    }
    let mut scene = Scene::new(url.clone()).await;
    let living = scene.worker().await;
    let at_work = scene.run(Some(living)).await;
    let mut fencer = start_child(&url);
    let _ = worker_of(&mut fencer);
    let lease = Duration::from_millis(500);
    let short = NewWorker { lease, ..new_worker() };
    let dead = scene.store.register_worker(short).await.expect("a worker can register");
    scene.run(Some(dead)).await;
    let is_over = format!(
        "SELECT count(*) FROM piton_workers WHERE worker_id = {} AND \
         lease_expires_at <= extract(epoch FROM clock_timestamp()) * 1000000",
        dead.worker_id.0
    );
    while scene.count(is_over.as_str()).await == 0 {}
    scene.bar("UPDATE", "piton_runs").await;
    writeln!(fencer.stdin.as_mut().expect("it is piped"), "{FENCE}").expect("it reads");
    scene.until_barred(1).await;
    signal(&fencer, "-STOP");
    scene.open_barrier().await;
    let store = Arc::clone(&scene.store);
    let lives = async {
        let renewed = store.renew_lease(living, LEASE).await.expect("it can be asked for");
        assert!(matches!(renewed, Renewal::Renewed(_)), "{renewed:?}");
        let committed = store.commit_steps(living, &[&keep(at_work, 0)]).await;
        assert_eq!(committed.expect("it can commit"), [CommitOutcome::Committed]);
    };
    // Less than the server's timeout for a stopped process.
    tokio::time::timeout(Duration::from_secs(1), lives).await.expect("it waits for nobody");
    let other = Arc::clone(&scene.other);
    let fenced = tokio::spawn(async move { other.fence_expired_workers().await });
    assert_eq!(ended(fenced).await.expect("it can be fenced"), (vec![dead.worker_id], 1));
    signal(&fencer, "-CONT");
    drop(fencer.stdin.take());
    fencer.wait().expect("it ends");
}
