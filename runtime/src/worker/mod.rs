//! Workers, which claim runs and execute them.

mod queue;
mod retention;
mod rhythm;
mod running;

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Semaphore;
use tracing::{info, warn};

pub use queue::Queue;
pub use retention::Retention;
pub use running::RunningWorker;

use self::rhythm::Rhythm;
use crate::activities::{ActivityEntry, Dependencies};
use crate::client::Client;
use crate::engine::fencing;
use crate::engine::paused::tokio_clock_is_paused;
use crate::engine::registry::Registry;
use crate::engine::session::{Host, Session, Settings};
use crate::engine::slots::Slots;
use crate::error::{StoreError, WorkerError};
use crate::filter;
use crate::machine::WorkflowEntry;
use crate::model::RunStatus;
use crate::store::RunQuery;

/// The maximum number of batches of commits at a time. Each needs a task, and there are far fewer connections.
const MAX_COMMIT_LANES: usize = 64;

/// A worker, ready to be started.
///
/// ```no_run
/// # async fn demo(client: piton::client::Client) -> piton::Result<()> {
/// use piton::worker::Worker;
///
/// let worker = Worker::new(&client).max_runs(2_000).start().await?;
/// worker.run_until_signal().await
/// # }
/// ```
#[derive(Debug)]
#[must_use = "a worker does nothing until it is started"]
pub struct Worker {
    client: Client,
    dependencies: Dependencies,
    settings: Settings,
    rhythm: Rhythm,
    queues: Vec<Queue>,
    /// `None` means everything linked into the program.
    entries: Option<Entries>,
    serves_workflows: bool,
    shutdown_grace: Duration,
}

/// The workflows and activities of a worker.
type Entries = (Vec<&'static WorkflowEntry>, Vec<&'static ActivityEntry>);

impl Worker {
    /// A worker for all workflows and activities that are linked into the program.
    pub fn new(client: &Client) -> Self {
        Self {
            client: client.clone(),
            dependencies: Dependencies::default(),
            settings: Settings {
                intervals: Rhythm::default().intervals(false),
                max_standstill: Duration::from_secs(300),
                max_runs: 10_000,
                max_activities: 1_000,
                max_blocking: 64,
                park_after: Duration::from_secs(60),
                max_claim_rate: None,
                commit_lanes: None,
                retention: Default::default(),
            },
            rhythm: Rhythm::default(),
            queues: Vec::new(),
            entries: None,
            serves_workflows: true,
            shutdown_grace: Duration::from_secs(10),
        }
    }

    /// Provides a value to activities, which request it by its type: a connection pool, an HTTP client, settings. A
    /// later value of the same type replaces it.
    pub fn provide<T: Send + Sync + 'static>(mut self, dependency: T) -> Self {
        self.dependencies.insert(dependency);
        self
    }

    /// Also attempts activities on this queue: a name, or a [`Queue`] with limits. The worker takes activities that
    /// are linked into the program; others on the queue wait for a worker that has them. If a queue is added twice,
    /// the later limits apply. Default: no queues.
    ///
    /// ```no_run
    /// # async fn demo(client: piton::client::Client) -> piton::Result<()> {
    /// use piton::worker::{Queue, Worker};
    ///
    /// let worker = Worker::new(&client)
    ///     .queue(Queue::new("gpu").max_concurrent(2))
    ///     .queue("mail")
    ///     .without_workflows()
    ///     .start()
    ///     .await?;
    /// worker.run_until_signal().await
    /// # }
    /// ```
    pub fn queue(mut self, queue: impl Into<Queue>) -> Self {
        let queue = queue.into();
        self.queues.retain(|known| known.name != queue.name);
        self.queues.push(queue);
        self
    }

    /// Leaves workflows, and the activities without a queue that they call, to other workers. This worker serves
    /// only its queues.
    pub fn without_workflows(mut self) -> Self {
        self.serves_workflows = false;
        self
    }

    /// Serves only these workflows and activities, instead of all that are linked into the program. For tests with
    /// several builds of a program in one.
    #[doc(hidden)]
    pub fn serving(
        mut self,
        workflows: Vec<&'static WorkflowEntry>,
        activities: Vec<&'static ActivityEntry>,
    ) -> Self {
        self.entries = Some((workflows, activities));
        self
    }

    /// Sets the maximum number of runs in memory. Default: 10,000. Further runs wait in the database.
    ///
    /// # Panics
    /// If `limit` is 0.
    pub fn max_runs(mut self, limit: usize) -> Self {
        assert!(limit > 0, "a worker must hold at least one run");
        self.settings.max_runs = limit.min(Semaphore::MAX_PERMITS);
        self
    }

    /// Sets the maximum number of running activities. Default: 1,000.
    ///
    /// # Panics
    /// If `limit` is 0.
    pub fn max_activities(mut self, limit: usize) -> Self {
        assert!(limit > 0, "a worker must run at least one activity at a time");
        self.settings.max_activities = limit.min(Semaphore::MAX_PERMITS);
        self
    }

    /// Sets the maximum number of running `#[activity(blocking)]` functions, each on a thread of its own. They also
    /// count toward [`max_activities`](Self::max_activities). Default: 64. The threads are tokio's blocking
    /// threads, of which a runtime has 512 by default.
    ///
    /// # Panics
    /// If `limit` is 0.
    pub fn max_blocking(mut self, limit: usize) -> Self {
        assert!(limit > 0, "a worker must run at least one blocking activity at a time");
        self.settings.max_blocking = limit.min(Semaphore::MAX_PERMITS);
        self
    }

    /// Sets the lease: how long the worker may be disconnected from the database before others take over its runs.
    /// It is renewed after a third of this time. Default: 15 s. After the death of a host, its runs continue after
    /// at most one lease and one poll interval; after the death of only a process, within a second. A separate
    /// thread renews the lease, so the lease stays valid while an activity or a step blocks the threads of the
    /// program, see [`Worker::max_standstill`]. On SQLite it cannot be renewed while an `#[activity(transaction)]`
    /// holds the write lock, so set it to twice the longest time of such an activity.
    ///
    /// A lease of more than a year is shortened to a year.
    ///
    /// # Panics
    /// If it is shorter than 100 ms.
    pub fn lease(mut self, lease: Duration) -> Self {
        assert!(lease >= Duration::from_millis(100), "a lease must be at least 100 ms long");
        self.rhythm.lease = Some(lease.min(rhythm::LONGEST_LEASE));
        self
    }

    /// Sets how long the lease is renewed while the worker's runtime makes no progress, because all its threads are
    /// blocked or busy. Default: 5 minutes; a value below the lease counts as the lease. After this time the worker
    /// gives up its lease and logs an error, and other workers take its runs over once the lease has expired. It
    /// registers anew when its runtime continues. Without this limit, a deadlock would stop its runs forever. For
    /// databases in memory the limit is the lease itself.
    pub fn max_standstill(mut self, limit: Duration) -> Self {
        self.settings.max_standstill = limit;
        self
    }

    /// Sets how often the worker polls for work whose notification was lost. Default: 2 s. Less than 1 ms counts as
    /// 1 ms.
    pub fn poll_interval(mut self, interval: Duration) -> Self {
        self.rhythm.poll_interval = Some(interval.max(Duration::from_millis(1)));
        self
    }

    /// Sets how long a run may wait for a timer or a retry in memory. A run that waits for longer, or for a signal,
    /// is parked: it takes no memory, and any worker can continue it. Default: 60 s.
    pub fn park_after(mut self, wait: Duration) -> Self {
        self.settings.park_after = wait;
        self
    }

    /// Sets the maximum number of runs claimed per second, so that a backlog after an outage does not overload the
    /// services that activities use. The longest due runs come first. Runs that this process starts are not claimed
    /// and not limited. Default: no limit.
    ///
    /// # Panics
    /// If `runs_per_second` is 0.
    pub fn max_claim_rate(mut self, runs_per_second: u32) -> Self {
        assert!(runs_per_second > 0, "a worker must claim some runs");
        self.settings.max_claim_rate = Some(runs_per_second);
        self
    }

    /// Sets how many batches of commits are written at a time, at most 64. Default: one on SQLite, where more never
    /// help, and two on Postgres, where more may help if hundreds of runs are busy and the server is far away. Each
    /// uses one of the connections that commits and claims share. There are three of them unless
    /// [`StoreOptions`](crate::store::StoreOptions::connections) sets fewer than nine connections; then there are
    /// two, and one batch at a time. Renewals of the lease use a connection of their own.
    pub fn commit_lanes(mut self, lanes: usize) -> Self {
        self.settings.commit_lanes = Some(lanes.clamp(1, MAX_COMMIT_LANES));
        self
    }

    /// Removes runs that have been closed for some time, or parts of their data, a hundred per transaction. Workers
    /// check once a minute, and one of them removes at a time. If workers are configured with different ages, the
    /// shortest applies. Default: all runs are kept forever.
    pub fn retention(mut self, retention: Retention) -> Self {
        self.settings.retention = retention.0;
        self
    }

    /// Sets how long running activities may continue when the worker shuts down. Default: 10 s. A run is released
    /// when its own activities have ended, at once if there are none, and at the latest after this time. Queued
    /// activities that have not begun are released at once.
    pub fn shutdown_grace(mut self, grace: Duration) -> Self {
        self.shutdown_grace = grace;
        self
    }

    /// Checks the workflows and activities, registers the worker and starts to claim runs. Blocked runs of its
    /// workflows are tried again.
    ///
    /// # Errors
    /// [`WorkerError::Registry`] if names clash or a workflow has values that cannot be saved.
    /// [`WorkerError::Store`] if the database fails; the call does not retry, and calling it again may help. Once
    /// started, a worker waits for its database without a limit. [`WorkerError::PausedClock`] in a test that has
    /// paused tokio's clock, unless the store has a virtual clock as well, like
    /// [`MemoryStore::new`](crate::store::MemoryStore::new).
    ///
    /// While tokio's clock is paused, the lease is a year and the poll interval five minutes unless they are set,
    /// because every renewal and every poll would be a stop of the clock on its way to the next timer.
    ///
    /// If the future is dropped, a worker that owns nothing may remain registered until its lease has expired.
    pub async fn start(mut self) -> Result<RunningWorker, WorkerError> {
        let registry = match self.entries {
            None => Registry::linked()?,
            Some((workflows, activities)) => Registry::new(workflows, activities)?,
        };
        warn_if_idle(&registry, self.serves_workflows, !self.queues.is_empty());
        let registry = if self.serves_workflows { registry } else { registry.without_workflows() };
        let store = Arc::clone(self.client.store());
        let is_paused = tokio_clock_is_paused();
        if is_paused && !store.has_virtual_clock() {
            return Err(WorkerError::PausedClock);
        }
        self.settings.intervals = self.rhythm.intervals(is_paused);
        let recorded = Arc::clone(self.client.recorded());
        recorded.definitions(&*store, registry.workflows()).await?;
        recorded.schemas(&*store, &registry.schemas()).await?;
        fencing::fence_dead_workers(&*store).await?;
        fencing::fence_expired_workers(&*store).await?;
        let host = Arc::new(Host {
            slots: Arc::new(Slots::new(&registry, &self.settings)),
            registry,
            recorded,
            dependencies: Arc::new(self.dependencies),
            queues: self.queues.into_iter().map(Queue::into_served).collect(),
            settings: self.settings,
        });
        let deliveries = self.client.deliveries().clone();
        let reports = self.client.reports().clone();
        let session =
            Session::open(Arc::clone(&store), deliveries, reports, Arc::clone(&host), None).await?;
        let unblocked = store.unblock_runs(host.registry.workflow_names(), None).await?;
        if unblocked > 0 {
            info!(runs = unblocked, "blocked runs get another try");
        }
        if self.serves_workflows {
            warn_of_unserved(&self.client, &host.registry).await?;
        }
        Ok(RunningWorker::start(self.client, session, self.shutdown_grace))
    }
}

/// Warns if the worker has nothing to do.
fn warn_if_idle(linked: &Registry, serves_workflows: bool, serves_queues: bool) {
    if linked.is_empty() {
        return warn!(
            "the worker has nothing to do: no workflow and no activity is linked into this program. The \
             linker leaves out a library that nothing in the program names: write `use its_name as _;` in \
             the program, with the name of the crate that defines them"
        );
    }
    let runs_workflows = serves_workflows && !linked.workflow_names().is_empty();
    if !runs_workflows && !serves_queues {
        warn!(
            "the worker has nothing to do: it serves no workflows and no queue. Name a queue with \
             `Worker::queue`, or let it serve workflows that are linked into this program"
        );
    } else if !runs_workflows && linked.activities().next().is_none() {
        warn!(
            "the worker has nothing to do: it serves queues, and no activity is linked into this program. \
             The linker leaves out a library that nothing in the program names: write `use its_name as _;` \
             in the program, with the name of the crate that defines them"
        );
    }
}

/// Logs open runs that this worker cannot continue and that wait for another.
async fn warn_of_unserved(client: &Client, registry: &Registry) -> Result<(), StoreError> {
    // A quick check and not a count: the first thousand runs are enough.
    let filter = filter::status().equals(RunStatus::Running);
    let query = RunQuery { limit: 1_000, ..RunQuery::of(&filter) };
    let runs = client.store().list_runs(query).await?;
    let mut unserved: Vec<_> = runs
        .into_iter()
        .filter(|run| run.owner.is_none() && registry.workflow(&run.workflow).is_none())
        .map(|run| run.workflow)
        .collect();
    unserved.sort_unstable();
    unserved.dedup();
    if !unserved.is_empty() {
        warn!(workflows = ?unserved, "runs of these workflows wait for a worker that has them");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use tracing::span::{Attributes, Id, Record};
    use tracing::{Event, Metadata, Subscriber};

    use super::*;
    use crate::store::MemoryStore;

    /// Collects the texts of warnings.
    #[derive(Clone, Default)]
    struct Warnings(Arc<Mutex<Vec<String>>>);

    impl Subscriber for Warnings {
        fn enabled(&self, metadata: &Metadata<'_>) -> bool {
            *metadata.level() == tracing::Level::WARN
        }

        fn event(&self, event: &Event<'_>) {
            let mut text = String::new();
            event.record(&mut |field: &tracing::field::Field, value: &dyn std::fmt::Debug| {
                if field.name() == "message" {
                    text = format!("{value:?}");
                }
            });
            self.0.lock().expect("no test panics here").push(text);
        }

        fn new_span(&self, _: &Attributes<'_>) -> Id {
            Id::from_u64(1)
        }

        fn record(&self, _: &Id, _: &Record<'_>) {}

        fn record_follows_from(&self, _: &Id, _: &Id) {}

        fn enter(&self, _: &Id) {}

        fn exit(&self, _: &Id) {}
    }

    /// No test of the library itself defines a workflow or an activity.
    #[tokio::test(start_paused = true)]
    async fn a_program_that_links_nothing_is_told_so() {
        let warnings = Warnings::default();
        let _guard = tracing::subscriber::set_default(warnings.clone());
        let client = Client::new(MemoryStore::new());
        let worker = Worker::new(&client).start().await.expect("it starts all the same");
        worker.shutdown().await.expect("it stops");
        let told = warnings.0.lock().expect("no test panics here").clone();
        assert_eq!(told.len(), 1, "{told:?}");
        for part in ["nothing to do", "no workflow and no activity", "use its_name as _;"] {
            assert!(told[0].contains(part), "{told:?}");
        }
    }
}
