//! One registration of a worker: the runs it owns and the state that its drivers share.
//!
//! A session ends in order or when it has lost its lease. In the second case its work is dropped, and the worker
//! opens another session.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::{Instant, timeout, timeout_at};
use tracing::{debug, error, info, warn};

use super::backoff::patiently;
use super::batch::Batcher;
use super::blocked::Looked;
use super::clock::Clock;
use super::driver::{Driver, Origin};
use super::held::{HeldRuns, Hold, Starting};
use super::loops::retention::Keeping;
use super::loops::{lease, relay};
use super::outgoing::Outgoing;
use super::phase::{Phase, Phases};
use super::queues::{self, Held as HeldAttempts, Queues, Reports};
use super::recorded::Recorded;
use super::registry::Registry;
use super::slots::Slots;
use super::stuck::Stuck;
use super::suspects::Suspects;
use super::suspicion::Suspicion;
use super::transitions::{Commits, Deliveries};
use crate::activities::Dependencies;
use crate::error::{StoreError, with_causes};
use crate::process;
use crate::store::{NewWorker, Store, WorkerLease};

/// How long an aborted task may take to reach its next await.
const ABORT_TIME: Duration = Duration::from_millis(300);

/// The parts of a worker that all its sessions share.
#[derive(Debug)]
pub(crate) struct Host {
    /// The workflows and activities that the worker serves.
    pub(crate) registry: Registry,
    /// The schemas and definitions that are recorded in the database.
    pub(crate) recorded: Arc<Recorded>,
    /// The dependencies of its activities.
    pub(crate) dependencies: Arc<Dependencies>,
    /// The slots for attempts of activities.
    pub(crate) slots: Arc<Slots>,
    /// The queues it serves.
    pub(crate) queues: Queues,
    /// Its options.
    pub(crate) settings: Settings,
}

/// The intervals of a worker's loops.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Intervals {
    /// How long it may go without a renewal of its lease.
    pub(crate) lease: Duration,
    /// How often it polls for work that no notification has announced.
    pub(crate) poll: Duration,
    /// How often it looks for workers that have died.
    pub(crate) watch: Duration,
}

/// The options of a worker.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// The intervals of its loops.
    pub(crate) intervals: Intervals,
    /// How long the lease is renewed while the runtime makes no progress.
    pub(crate) max_standstill: Duration,
    /// The maximum number of runs in memory.
    pub(crate) max_runs: usize,
    /// The maximum number of running attempts.
    pub(crate) max_activities: usize,
    /// The maximum number of running blocking attempts.
    pub(crate) max_blocking: usize,
    /// A run whose wait is longer than this is parked.
    pub(crate) park_after: Duration,
    /// The maximum number of runs claimed per second.
    pub(crate) max_claim_rate: Option<u32>,
    /// The number of batches of commits written at a time; `None` uses the store's default.
    pub(crate) commit_lanes: Option<usize>,
    /// How long closed runs are kept.
    pub(crate) retention: Keeping,
}

/// See the [module documentation](self).
#[derive(Debug)]
pub(crate) struct Session {
    /// The database.
    pub(crate) store: Arc<dyn Store>,
    /// The worker.
    pub(crate) host: Arc<Host>,
    /// The database's time.
    pub(crate) clock: Clock,
    /// Where drivers submit steps.
    pub(crate) commits: Batcher<Commits>,
    /// Where drivers submit arrivals that must be stored before the next step.
    pub(crate) deliveries: Batcher<Deliveries>,
    /// Runs with messages to relay.
    pub(crate) outgoing: Arc<Outgoing>,
    /// Where attempts of queued activities report.
    pub(crate) reports: Reports,
    /// Running attempts of queued activities.
    pub(crate) attempts: Arc<HeldAttempts>,
    /// One permit for each run that fits in memory.
    pub(crate) capacity: Arc<Semaphore>,
    /// The worker's lease.
    lease: WorkerLease,
    /// When the current lease was requested.
    renewed_at: Mutex<Instant>,
    /// How often the runtime has polled the worker's loop.
    moves: AtomicU64,
    /// The runs held.
    pub(crate) runs: HeldRuns,
    /// Tasks of drivers, and of attempts of queued activities; `None` once no more may start.
    drivers: Mutex<Option<JoinSet<()>>>,
    /// The phase of the session.
    phases: Arc<Phases>,
    /// Whether a shutdown has aborted tasks that did not end in time.
    is_cut_off: AtomicBool,
    /// Suspects that the worker owns runs that it does not hold.
    pub(crate) strays: Suspicion,
    /// Permits for runs that may kill the process.
    pub(crate) suspects: Suspects,
    /// The search for blocked runs.
    pub(crate) blocked: Looked,
    /// Locked from a claim until its runs are held. In between they look like strays.
    pub(crate) claiming: tokio::sync::Mutex<()>,
}

/// The result of draining a session.
#[derive(Debug)]
pub(crate) struct Drained {
    /// Whether every attempt has ended and its end was written.
    is_whole: bool,
    /// Activities that are still running because they block their threads.
    pub(crate) stuck: Stuck,
}

/// A run that is about to get its driver.
#[derive(Debug)]
pub(crate) struct Adoption {
    /// The owner.
    pub(crate) session: Arc<Session>,
    /// The run.
    pub(crate) origin: Origin,
    /// The permit under which it is held.
    pub(crate) permit: OwnedSemaphorePermit,
    /// The mark that it is being started, if it is.
    pub(crate) starting: Option<Starting>,
}

impl Adoption {
    /// Drives the run, unless it has a driver.
    pub(crate) fn adopt(self) {
        let Self { session, origin, permit, starting } = self;
        if !session.runs.has(origin.run_id()) {
            session.drive(origin, permit);
        }
        // The run is marked as started until it is held.
        drop(starting);
    }
}

impl Session {
    /// Registers a worker, and takes over the clock of its previous session.
    pub(crate) async fn open(
        store: Arc<dyn Store>,
        deliveries: Batcher<Deliveries>,
        reports: Reports,
        host: Arc<Host>,
        before: Option<&Self>,
    ) -> Result<Arc<Self>, StoreError> {
        let registered_at = Instant::now();
        let worker = NewWorker {
            host: host_name(),
            pid: std::process::id(),
            lease: host.settings.intervals.lease,
        };
        let lease = store.register_worker(worker).await?;
        let now = store.now().await?;
        let clock = match before {
            Some(session) => session.clock.followed_by(now),
            None => Clock::new(now),
        };
        let phases = Arc::new(Phases::new());
        let on_fenced = {
            let phases = Arc::clone(&phases);
            Box::new(move || {
                phases.lose();
            })
        };
        let commit_lanes = host.settings.commit_lanes.unwrap_or_else(|| store.commit_lanes());
        let outgoing = Arc::<Outgoing>::default();
        let commits = Commits {
            store: Arc::clone(&store),
            lease,
            on_fenced,
            outgoing: Arc::clone(&outgoing),
        };
        info!(worker_id = lease.worker_id.0, "worker registered");
        Ok(Arc::new(Self {
            commits: Batcher::spawn(commits, commit_lanes),
            deliveries,
            outgoing,
            reports,
            attempts: Arc::default(),
            capacity: Arc::new(Semaphore::new(host.settings.max_runs)),
            store,
            host,
            clock,
            lease,
            renewed_at: Mutex::new(registered_at),
            moves: AtomicU64::new(0),
            runs: HeldRuns::default(),
            drivers: Mutex::new(Some(JoinSet::new())),
            phases,
            is_cut_off: AtomicBool::new(false),
            strays: Suspicion::default(),
            suspects: Suspects::default(),
            blocked: Looked::default(),
            claiming: tokio::sync::Mutex::default(),
        }))
    }

    /// The worker's lease.
    pub(crate) fn lease(&self) -> WorkerLease {
        self.lease
    }

    /// Records a renewal of the lease, and when it was requested.
    pub(crate) fn note_renewal(&self, asked_at: Instant) {
        *self.renewed_at.lock().unwrap_or_else(PoisonError::into_inner) = asked_at;
    }

    /// When the lease has to be given up if it is not renewed, by the worker's own clock.
    pub(crate) fn lease_ends_at(&self) -> Instant {
        let renewed_at = *self.renewed_at.lock().unwrap_or_else(PoisonError::into_inner);
        lease::end_of(self.host.settings.intervals.lease, renewed_at)
    }

    /// Records that the worker's runtime makes progress.
    pub(crate) fn note_move(&self) {
        self.moves.fetch_add(1, Ordering::Relaxed);
    }

    /// The number of times that was recorded.
    pub(crate) fn moves(&self) -> u64 {
        self.moves.load(Ordering::Relaxed)
    }

    /// Marks the lease as lost.
    pub(crate) fn lose(&self) {
        self.phases.lose();
    }

    /// Whether an attempt may begin `now`. After the whole process was stopped for longer than its lease, it may
    /// run on before it learns that its runs have other owners. In that case this ends the session.
    pub(crate) fn may_begin(&self, now: Instant) -> bool {
        let may = now < self.lease_ends_at();
        if !may {
            self.lose();
        }
        may
    }

    /// The phase of the session, and its changes.
    pub(crate) fn phases(&self) -> &Phases {
        &self.phases
    }

    /// Whether it claims runs.
    pub(crate) fn is_serving(&self) -> bool {
        self.phases.now() == Phase::Serving
    }

    /// Starts driving a run that this session owns in the store.
    pub(crate) fn drive(self: &Arc<Self>, origin: Origin, permit: OwnedSemaphorePermit) {
        let mut drivers = self.lock_drivers();
        let Some(drivers) = drivers.as_mut() else { return };
        while drivers.try_join_next().is_some() {}
        let run_id = origin.run_id();
        let (events, receiver) = mpsc::unbounded_channel();
        let hold = Hold::new(self, run_id, events.clone());
        let subscription = self.store.hub().subscribe(run_id, events);
        // A task's future is copied when it is spawned, when it ends, and when it is joined, so this large one is
        // boxed.
        drivers.spawn(process::bind(Box::pin(async move {
            Driver::run(hold, origin, receiver).await;
            drop((subscription, permit));
        })));
    }

    /// Spawns a task that ends with the session, unless no more may start.
    pub(crate) fn spawn(
        &self,
        task: impl Future<Output = ()> + Send + 'static,
    ) -> Option<AbortHandle> {
        let mut tasks = self.lock_drivers();
        let tasks = tasks.as_mut()?;
        while tasks.try_join_next().is_some() {}
        Some(tasks.spawn(process::bind(task)))
    }

    /// Ends the session at once: stops its drivers at their next await.
    pub(crate) fn abandon(&self) {
        self.lose();
        if let Some(drivers) = self.lock_drivers().take() {
            let runs = drivers.len();
            warn!(worker_id = self.lease.worker_id.0, runs, "the worker has lost its runs");
        }
    }

    /// Ends the session in order: nothing new is started, and running activities may end until `deadline`.
    /// Afterwards, [`release`](Self::release) what it still owns.
    pub(crate) async fn drain(&self, deadline: Instant) -> Drained {
        self.phases.pass(Phase::Serving, Phase::Draining);
        let Some(mut drivers) = self.lock_drivers().take() else {
            return Drained { is_whole: true, stuck: Stuck::default() };
        };
        self.attempts.call_off();
        let ended = async { while drivers.join_next().await.is_some() {} };
        let ended = queues::hand_back_until(self, ended);
        let in_time = timeout_at(deadline, ended).await.is_ok();
        let held = self.attempts.list();
        let mut stuck = Stuck::default();
        if !in_time {
            let (worker_id, runs) = (self.lease.worker_id.0, drivers.len());
            warn!(worker_id, runs, "activities were interrupted by the shutdown");
            drivers.abort_all();
            let ended = async {
                while drivers.join_next().await.is_some() {}
                while !self.host.slots.under_way(self.lease.worker_id).is_empty() {
                    self.host.slots.freed().await;
                }
            };
            if timeout(ABORT_TIME, ended).await.is_err() {
                stuck = Stuck::of(self);
                error!(
                    worker_id,
                    what = %stuck,
                    "functions that block their threads continue after the shutdown"
                );
            }
        }
        self.is_cut_off.store(true, Ordering::Release);
        let handed_back = stuck.within(queues::hand_back(self, &held)).await;
        if let Some(Err(error)) = stuck.within(relay::run_once(self)).await {
            let worker_id = self.lease.worker_id.0;
            warn!(worker_id, error = %with_causes(&error), "messages are left to other workers");
        }
        // A driver that could not write, because of an error or an expired lease, has also interrupted its
        // attempts.
        let has_lost = self.strays.stands() || self.phases.now() == Phase::Lost;
        let is_whole = in_time && !has_lost && handed_back.is_some();
        Drained { is_whole, stuck }
    }

    /// Releases everything that is still owned, and the lease, which must not be renewed meanwhile. A stuck
    /// activity may block the database for this; then other workers take the runs over when the lease has expired.
    pub(crate) async fn release(&self, drained: &Drained) -> Result<(), StoreError> {
        let released = patiently(|| self.try_release(drained.is_whole));
        drained.stuck.within(released).await.unwrap_or(Err(StoreError::Fenced))?;
        debug!(worker_id = self.lease.worker_id.0, "worker released");
        Ok(())
    }

    /// Ends the session from another runtime, if the deadline of [`Session::drain`] has passed unnoticed because
    /// all threads of its runtime are blocked. Returns what blocks them.
    pub(crate) async fn end_from_outside(&self) -> Option<Stuck> {
        if self.is_cut_off.load(Ordering::Acquire) {
            return None;
        }
        let stuck = Stuck::of(self);
        if stuck.is_empty() {
            // Something else in the program blocks them, which is not the worker's concern.
            return None;
        }
        let worker_id = self.lease.worker_id;
        error!(
            worker_id = worker_id.0,
            what = %stuck,
            "functions that block their threads continue after the shutdown"
        );
        // The lease is no longer renewed, whether or not the database can be reached.
        self.lose();
        let workers = [worker_id];
        if !matches!(stuck.within(self.store.fence_workers(&workers)).await, Some(Ok(_))) {
            warn!(worker_id = worker_id.0, "others take over the runs when the lease has run out");
        }
        Some(stuck)
    }

    async fn try_release(&self, is_whole: bool) -> Result<(), StoreError> {
        // Releasing counts no attempt as interrupted; fencing does.
        if !is_whole {
            self.store.fence_workers(&[self.lease.worker_id]).await?;
        }
        self.store.release_worker(self.lease).await
    }

    fn lock_drivers(&self) -> MutexGuard<'_, Option<JoinSet<()>>> {
        self.drivers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The host name, for people.
fn host_name() -> String {
    let named = std::env::var("HOSTNAME").ok().filter(|name| !name.is_empty());
    let read = || std::fs::read_to_string("/proc/sys/kernel/hostname").ok();
    named.or_else(read).map_or_else(|| "unknown".to_owned(), |name| name.trim().to_owned())
}
