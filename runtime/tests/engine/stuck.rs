//! Shutdowns while functions block their threads.

use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use piton::filter::Filter;
use piton::machine::{Workflow, WorkflowCall};
use piton::prelude::*;
use piton::store::contract::*;
use tokio::sync::Semaphore;

use crate::rig::Rig;
use crate::workflows::naps;

const GRACE: Duration = Duration::from_millis(100);

/// The maximum time of a shutdown with that grace period.
const AT_MOST: Duration = Duration::from_millis(1_100);

/// Blocks functions on their threads until the end of the test, so that its runtime can end.
#[derive(Clone)]
struct Rocks(Arc<Inner>);

struct Inner {
    is_over: Mutex<bool>,
    over: Condvar,
    /// A permit for each function that has begun.
    begun: Semaphore,
}

impl Rocks {
    fn new() -> Self {
        let (is_over, over) = (Mutex::new(false), Condvar::new());
        Self(Arc::new(Inner { is_over, over, begun: Semaphore::new(0) }))
    }

    fn block(&self) {
        self.0.begun.add_permits(1);
        let is_over = self.0.is_over.lock().unwrap();
        drop(self.0.over.wait_while(is_over, |is_over| !*is_over).unwrap());
    }

    async fn until_blocked(&self, count: u32) {
        self.0.begun.acquire_many(count).await.unwrap().forget();
    }
}

/// Lets the functions end with the test, also if it fails.
struct LetGo(Rocks);

impl Drop for LetGo {
    fn drop(&mut self) {
        *self.0.0.is_over.lock().unwrap() = true;
        self.0.0.over.notify_all();
    }
}

#[activity]
async fn stall(cx: &ActivityContext) -> u32 {
    cx.dependency::<Rocks>().block();
    cx.info().attempt
}

#[activity(queue = "quarry")]
async fn stall_on_a_queue(cx: &ActivityContext) {
    cx.dependency::<Rocks>().block();
}

#[activity(blocking)]
fn stall_a_thread(cx: &ActivityContext) {
    cx.dependency::<Rocks>().block();
}

#[activity(transaction)]
async fn stall_a_transaction(cx: &ActivityContext, _db: &mut sqlx::SqliteConnection) {
    cx.dependency::<Rocks>().block();
}

#[workflow]
async fn stalled() -> u32 {
    stall().await
}

#[workflow]
async fn stalled_twice() {
    join!(stall(), stall_on_a_queue());
}

#[workflow]
async fn stalled_on_a_thread() {
    stall_a_thread().await;
}

#[workflow]
async fn stalled_in_a_transaction() {
    stall_a_transaction().await;
}

/// Shuts a worker down. Returns its error, in time.
async fn left_behind(worker: RunningWorker) -> String {
    let asked = Instant::now();
    let error = worker.shutdown().await.expect_err("something is stuck").to_string();
    assert!(asked.elapsed() < AT_MOST, "{:?}", asked.elapsed());
    error
}

#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn a_stuck_activity_delays_nothing_else() {
    let rig = Rig::new();
    let rocks = Rocks::new();
    let _let_go = LetGo(rocks.clone());
    let worker = rig.worker().provide(rocks.clone()).shutdown_grace(GRACE).start().await.unwrap();
    let stuck = rig.client.start(stalled()).id("heavy").await.unwrap();
    rocks.until_blocked(1).await;
    let other = rig.client.start(naps(3, 50)).await.unwrap();
    rig.until(&other, |record| record.step_no.0 >= 1).await;

    let error = left_behind(worker).await;
    for part in ["`stall`", "attempt 1", "`heavy`", &stuck.run_id().to_string()] {
        assert!(error.contains(part), "{part} is missing in: {error}");
    }
    // Both were released.
    for run in rig.client.list_runs(Filter::all()).limit(10).await.unwrap().runs {
        assert_eq!(run.owner, None, "{run:?}");
    }
    assert!(rig.store.list_workers().await.unwrap().is_empty());
    let next = rig.worker().provide(rocks.clone()).start().await.unwrap();
    assert_eq!(other.result().await.unwrap(), 3);
    drop(next);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_late_result_of_a_stuck_activity_does_not_count() {
    let rig = Rig::new();
    let rocks = Rocks::new();
    let let_go = LetGo(rocks.clone());
    let worker = rig.worker().provide(rocks.clone()).shutdown_grace(GRACE).start().await.unwrap();
    let run = rig.client.start(stalled()).await.unwrap();
    rocks.until_blocked(1).await;
    left_behind(worker).await;
    let next = rig.worker().provide(rocks.clone()).start().await.unwrap();
    rocks.until_blocked(1).await;
    drop(let_go);
    assert_eq!(run.result().await.unwrap(), 2, "it is the second attempt that counts");
    next.shutdown().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn an_error_names_everything_that_is_stuck() {
    let rig = Rig::new();
    let rocks = Rocks::new();
    let _let_go = LetGo(rocks.clone());
    let worker = rig.worker().provide(rocks.clone()).queue("quarry").shutdown_grace(GRACE);
    let worker = worker.start().await.unwrap();
    rig.client.start(stalled_twice()).await.unwrap();
    rig.client.start(stalled_on_a_thread()).await.unwrap();
    rocks.until_blocked(3).await;
    let error = left_behind(worker).await;
    for name in ["`stall`", "`stall_on_a_queue`", "`stall_a_thread`"] {
        assert!(error.contains(name), "{name} is missing in: {error}");
    }
}

/// A worker on a database in a file whose runtime has this many threads, all of them blocked by runs of one
/// workflow.
async fn left_behind_on_sqlite<W: Workflow>(call: fn() -> WorkflowCall<W>, threads: u32) -> String {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("runs.db").display());
    let client = Client::connect(&url).await.unwrap();
    let rocks = Rocks::new();
    let _let_go = LetGo(rocks.clone());
    let worker = Worker::new(&client).provide(rocks.clone()).shutdown_grace(GRACE);
    let worker = worker.start().await.unwrap();
    for _ in 0..threads {
        client.start(call()).await.unwrap();
    }
    rocks.until_blocked(threads).await;
    left_behind(worker).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn the_only_thread_is_stuck() {
    let error = left_behind_on_sqlite(stalled, 1).await;
    assert!(error.contains("`stall`"), "{error}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_thread_is_stuck() {
    let error = left_behind_on_sqlite(stalled, 2).await;
    assert_eq!(error.matches("`stall`").count(), 2, "{error}");
}

/// It holds a lock that the release of the runs needs.
#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn a_transaction_is_stuck() {
    let error = left_behind_on_sqlite(stalled_in_a_transaction, 1).await;
    assert!(error.contains("`stall_a_transaction`"), "{error}");
}
