//! Workers as in separate processes, an activity that blocks its thread, and an observer of the database.

use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use futures_util::FutureExt as _;
use piton::error::StoreError;
use piton::model::{Payload, RunId};
use piton::prelude::*;
use piton::sqlx::any::AnyPoolOptions;
use piton::sqlx::{self, AnyPool};
use piton::store::{ArrivalKind, ArrivalOutcome, NewArrival};
use piton::worker::RunningWorker;
use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinHandle;

/// Long enough for anything to happen on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// A runtime with one thread, so that blocking it blocks everything.
pub fn runtime() -> Runtime {
    Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap()
}

/// The outcomes of delivered arrivals.
pub type Delivered = Result<Vec<ArrivalOutcome>, StoreError>;

/// A door that activities pass. While it is shut, it blocks their threads.
#[derive(Clone, Default)]
pub struct Door(Arc<(Mutex<Visits>, Condvar)>);

#[derive(Default)]
struct Visits {
    is_open: bool,
    /// The attempts that have reached the door.
    attempts: Vec<u32>,
}

impl Door {
    pub fn open(&self) {
        self.0.0.lock().unwrap().is_open = true;
        self.0.1.notify_all();
    }

    /// Waits until an attempt has reached the door. Returns all that have.
    pub fn attempts(&self) -> Vec<u32> {
        let visits = self.0.0.lock().unwrap();
        let none = |visits: &mut Visits| visits.attempts.is_empty();
        let (visits, waited) = self.0.1.wait_timeout_while(visits, PATIENCE, none).unwrap();
        assert!(!waited.timed_out(), "no attempt has reached the door");
        visits.attempts.clone()
    }

    fn pass(&self, attempt: u32) {
        let mut visits = self.0.0.lock().unwrap();
        visits.attempts.push(attempt);
        self.0.1.notify_all();
        drop(self.0.1.wait_while(visits, |visits| !visits.is_open).unwrap());
    }
}

/// Opens the door at the end of a test, also if it fails, because a runtime waits for its threads.
pub struct OpenAtLast<'a>(pub &'a Door);

impl Drop for OpenAtLast<'_> {
    fn drop(&mut self) {
        self.0.open();
    }
}

/// Blocks its thread, although it is not marked as blocking.
#[activity]
async fn pass_the_door(cx: &ActivityContext) -> u32 {
    cx.dependency::<Door>().pass(cx.info().attempt);
    cx.info().attempt
}

/// Returns the number of the attempt whose outcome counted.
#[workflow]
pub async fn errand() -> piton::Result<u32> {
    Ok(pass_the_door().await)
}

/// A worker as in a separate process.
pub struct Process {
    runtime: Runtime,
    client: Client,
    worker: RunningWorker,
}

impl Process {
    pub fn start(&self) -> RunHandle<errand> {
        self.runtime.block_on(async { self.client.start(errand()).await.unwrap() })
    }

    pub fn result_of(&self, run: &RunHandle<errand>) -> u32 {
        self.runtime.block_on(async { run.result().await.unwrap() })
    }

    /// Begins to deliver an arrival to a run that does not exist, and reaches the door before it can continue.
    pub fn begins_to_deliver(&self, door: &Door) -> JoinHandle<Delivered> {
        let (store, door) = (self.client.store().clone(), door.clone());
        self.runtime.spawn(async move {
            let kind = ArrivalKind::Signal { name: "hello".into(), payload: Payload::default() };
            let run_id = RunId::new();
            let arrival = NewArrival { run_id, kind, dedup_key: None, owner: None };
            let mut delivered = store.deliver(vec![arrival]);
            // At least the first statement was sent, perhaps all.
            let polled = (&mut delivered).now_or_never();
            door.pass(0);
            match polled {
                Some(delivered) => delivered,
                None => delivered.await,
            }
        })
    }

    pub fn end_of(&self, delivered: JoinHandle<Delivered>) -> Delivered {
        self.runtime.block_on(delivered).unwrap()
    }

    pub fn shut_down(self) {
        self.runtime.block_on(self.worker.shutdown()).unwrap();
    }
}

/// A database, and a connection that observes it.
pub struct Scene {
    url: String,
    runtime: Runtime,
    pool: AnyPool,
}

impl Scene {
    pub fn open(url: &str) -> Self {
        sqlx::any::install_default_drivers();
        let runtime = runtime();
        let pool = runtime.block_on(async {
            Client::connect(url).await.unwrap().close().await;
            AnyPoolOptions::new().max_connections(1).connect(url).await.unwrap()
        });
        Self { url: url.to_owned(), runtime, pool }
    }

    pub fn worker(&self, door: &Door, options: impl FnOnce(Worker) -> Worker) -> Process {
        let runtime = runtime();
        let (client, worker) = runtime.block_on(async {
            let client = Client::connect(&self.url).await.unwrap();
            let worker = Worker::new(&client).provide(door.clone());
            let worker = options(worker.poll_interval(Duration::from_millis(50)));
            (client, worker.start().await.unwrap())
        });
        Process { runtime, client, worker }
    }

    /// The workers that are registered and neither fenced nor released: id and end of the lease.
    pub fn leases(&self) -> Vec<(i64, i64)> {
        let unfenced = "SELECT worker_id, lease_expires_at FROM piton_workers \
            WHERE fenced_at IS NULL ORDER BY worker_id";
        self.runtime.block_on(sqlx::query_as(unfenced).fetch_all(&self.pool)).unwrap()
    }

    /// Reads the leases until they meet the condition.
    pub fn until(&self, mut is_so: impl FnMut(&[(i64, i64)]) -> bool) {
        let began = Instant::now();
        while !is_so(&self.leases()) {
            assert!(
                began.elapsed() < PATIENCE,
                "the condition never became true: {:?}",
                self.leases()
            );
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}
