//! Workers: processes that claim runs and carry them out.

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

/// The most batches of commits at a time. Each is a task, and there are far fewer connections.
const MAX_COMMIT_LANES: usize = 64;

/// A worker that is yet to be started.
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
    /// Nothing for what is linked into the program.
    entries: Option<Entries>,
    serves_workflows: bool,
    shutdown_grace: Duration,
}

/// The workflows and activities of a worker.
type Entries = (Vec<&'static WorkflowEntry>, Vec<&'static ActivityEntry>);

impl Worker {
    /// A worker for every workflow and activity that is linked into the program.
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

    /// Gives activities a value, which they ask for by its type: a connection pool, an HTTP client,
    /// settings. A later value of the same type takes its place.
    pub fn provide<T: Send + Sync + 'static>(mut self, dependency: T) -> Self {
        self.dependencies.insert(dependency);
        self
    }

    /// Has the worker attempt activities on this queue as well: a name, or a [`Queue`] with limits.
    /// It takes those of the activities linked into the program; others on the queue wait for a
    /// worker that has them. A queue that is named again gets the later limits.
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

    /// Has the worker leave all workflows, and the activities without a queue that they call, to
    /// others. It then serves nothing but its queues.
    pub fn without_workflows(mut self) -> Self {
        self.serves_workflows = false;
        self
    }

    /// Has the worker serve these workflows and activities alone, not all that are linked into the program. For tests
    /// that have several builds of a program in one.
    #[doc(hidden)]
    pub fn serving(
        mut self,
        workflows: Vec<&'static WorkflowEntry>,
        activities: Vec<&'static ActivityEntry>,
    ) -> Self {
        self.entries = Some((workflows, activities));
        self
    }

    /// Sets how many runs the worker holds in memory at most. Default: 10,000. The others wait in
    /// the database.
    ///
    /// # Panics
    /// If `limit` is 0.
    pub fn max_runs(mut self, limit: usize) -> Self {
        assert!(limit > 0, "a worker must hold at least one run");
        self.settings.max_runs = limit.min(Semaphore::MAX_PERMITS);
        self
    }

    /// Sets how many activities the worker runs at a time at most. Default: 1,000.
    ///
    /// # Panics
    /// If `limit` is 0.
    pub fn max_activities(mut self, limit: usize) -> Self {
        assert!(limit > 0, "a worker must run at least one activity at a time");
        self.settings.max_activities = limit.min(Semaphore::MAX_PERMITS);
        self
    }

    /// Sets how many `#[activity(blocking)]` functions the worker runs at a time at most, each on a
    /// thread of its own. They count as activities, too. Default: 64. The threads are tokio's
    /// blocking ones, of which a runtime has 512 unless it was built otherwise.
    ///
    /// # Panics
    /// If `limit` is 0.
    pub fn max_blocking(mut self, limit: usize) -> Self {
        assert!(limit > 0, "a worker must run at least one blocking activity at a time");
        self.settings.max_blocking = limit.min(Semaphore::MAX_PERMITS);
        self
    }

    /// Sets the lease: how long the worker may be out of touch with the database before others take
    /// over its runs. Renewed at a third of it. Default: 15 s. After the death of a host, its runs
    /// go on after at most one lease and one poll interval; after that of a mere process, within a
    /// second. It is renewed on a thread that piton keeps for that, so it is kept as well while an
    /// activity or a step blocks the threads of the program, see [`Worker::max_standstill`]. On SQLite it is
    /// not while an `#[activity(transaction)]` has the right to write, so let it be twice as long as the
    /// longest of these may take.
    ///
    /// A lease of more than a year counts as one of a year.
    ///
    /// # Panics
    /// If it is shorter than 100 ms.
    pub fn lease(mut self, lease: Duration) -> Self {
        assert!(lease >= Duration::from_millis(100), "a lease must be at least 100 ms long");
        self.rhythm.lease = Some(lease.min(rhythm::LONGEST_LEASE));
        self
    }

    /// Sets for how long the lease is kept while nothing moves on the worker's runtime, because all its
    /// threads are blocked or at work on something long. Default: 5 minutes; less than the lease counts as
    /// the lease. A worker that stands still for longer gives up its lease, and with it its runs, which
    /// others take over when the lease has run out; an error in the log says so. It registers anew when it
    /// moves again. A deadlock would otherwise hold up its runs for ever. Databases in memory have no such
    /// limit: there a worker that stands still for as long as its lease loses it.
    pub fn max_standstill(mut self, limit: Duration) -> Self {
        self.settings.max_standstill = limit;
        self
    }

    /// Sets how often the worker looks for what no news has told of. Default: 2 s; at least 1 ms, as which
    /// a shorter interval counts.
    pub fn poll_interval(mut self, interval: Duration) -> Self {
        self.rhythm.poll_interval = Some(interval.max(Duration::from_millis(1)));
        self
    }

    /// Sets for how long a run may wait for a timer or a retry in memory. One that waits for
    /// longer, or for a signal, is parked: it takes no memory, and any worker can continue it.
    /// Default: 60 s.
    pub fn park_after(mut self, wait: Duration) -> Self {
        self.settings.park_after = wait;
        self
    }

    /// Sets how many runs the worker claims in a second at most, so that a backlog after an outage
    /// does not fall upon what its activities use. The runs that have been due for longest come
    /// first. Runs that this process starts are not claimed and not limited. Default: no limit.
    ///
    /// # Panics
    /// If `runs_per_second` is 0.
    pub fn max_claim_rate(mut self, runs_per_second: u32) -> Self {
        assert!(runs_per_second > 0, "a worker must claim some runs");
        self.settings.max_claim_rate = Some(runs_per_second);
        self
    }

    /// Sets how many batches of commits are written at a time, 64 at most. Default: one on SQLite, where more never
    /// help, and two on Postgres, where more may help if hundreds of runs are busy and the server is
    /// far away. Each takes one of the connections that commits and claims share, of which there are
    /// three unless [`StoreOptions`](crate::store::StoreOptions::connections) says otherwise (with fewer
    /// than nine connections there are two, and one batch at a time); the renewal of the lease has its
    /// own.
    pub fn commit_lanes(mut self, lanes: usize) -> Self {
        self.settings.commit_lanes = Some(lanes.clamp(1, MAX_COMMIT_LANES));
        self
    }

    /// Has the worker remove runs that have been over for some time, or parts of them, a hundred in a transaction. It looks
    /// once a minute, and of several workers one removes at a time. Where they have been told different ages, the shortest
    /// counts. Default: all runs are kept for ever.
    pub fn retention(mut self, retention: Retention) -> Self {
        self.settings.retention = retention.0;
        self
    }

    /// Sets how long running activities may continue when the worker is shut down. Default: 10 s. A run
    /// is handed back when its own activities have ended, at once if there are none, and at the latest after
    /// this time; what the worker has been given on queues and has not begun, at once.
    pub fn shutdown_grace(mut self, grace: Duration) -> Self {
        self.shutdown_grace = grace;
        self
    }

    /// Checks what the worker is to serve, registers it and starts to claim runs. Blocked runs of
    /// its workflows get another try.
    ///
    /// # Errors
    /// [`WorkerError::Registry`] if names clash or a workflow holds values that cannot be saved,
    /// [`WorkerError::Store`] if the database fails: it is asked once, and starting another worker may
    /// help. Once started, a worker waits for its database for as long as it takes. [`WorkerError::PausedClock`] in a
    /// test that has paused tokio's clock, unless the store has a virtual clock too, as
    /// [`MemoryStore::new`](crate::store::MemoryStore::new) has.
    ///
    /// While tokio's clock is paused, the lease is a year and the poll interval five minutes unless they are set: every
    /// renewal and every look would be a stop for the clock on its way to the next timer.
    ///
    /// Dropping the future leaves at most a worker that owns nothing, and that the others forget when its
    /// lease has run out.
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

/// Warns if there is nothing that the worker could ever do.
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

/// Logs open runs that this worker cannot continue: they wait for a worker that can.
async fn warn_of_unserved(client: &Client, registry: &Registry) -> Result<(), StoreError> {
    // A glance and not a count: what there is shows in the first thousand.
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
