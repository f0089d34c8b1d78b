//! Clients: starting runs, finding them, and sending messages to them.

mod activities;
mod awaited;
mod by_id;
mod dead_letters;
mod definitions;
pub mod edit;
mod exposed;
mod fail_activity;
mod failed_calls;
mod handle;
mod in_use;
pub mod inspect;
mod kin;
mod labels;
mod lists;
mod many;
mod one_run;
mod operate;
mod outstanding;
mod parked;
mod partitions;
mod promises;
pub(crate) mod queries;
mod queues;
mod removed;
#[cfg(feature = "schedules")]
mod schedules;
mod send;
mod signal_or_start;
mod start;
mod start_json;
mod terms;
mod unknown_attributes;
mod unknown_workflow;
mod untyped_start;
mod update_or_start;
mod updates;
pub(crate) mod validators;
mod watch;

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError, Weak};

pub use by_id::{SendJsonUpdate, UntypedRun};
pub use exposed::{Exposed, QueryCall};
pub use fail_activity::FailActivity;
pub use failed_calls::FailedCall;
pub use handle::RunHandle;
pub use in_use::DefinitionInUse;
pub use lists::{CountRuns, GroupedCount, ListRuns, RunPage};
pub use many::{ChangeMany, ManyChanged};
pub use operate::ChangeOne;
pub use outstanding::OutstandingActivity;
pub use parked::{ParkedReport, UnfitRuns, UnfitSchedule};
pub use promises::{Completed, PromiseHandle, PromiseSchemas, SettledPromise};
pub use queues::QueueHandle;
#[cfg(feature = "schedules")]
pub use schedules::{
    Backfill, Before, CreateSchedule, Schedule, ScheduleDescription, ScheduleFilter, Trigger,
    UpdateSchedule,
};
pub use send::Send;
pub use signal_or_start::SignalOrStart;
pub use start::{OnConflict, Start};
pub use start_json::AnyWorkflow;
pub use unknown_attributes::UnknownAttribute;
pub use unknown_workflow::UnknownWorkflow;
pub use update_or_start::UpdateOrStart;
pub use updates::{SendUpdate, UpdateHandle};
pub use watch::{Watch, Watched};

use one_run::OneRun;

use crate::engine::backoff::patiently;
use crate::engine::batch::Batcher;
use crate::engine::queues::Reports;
use crate::engine::recorded::Recorded;
use crate::engine::session::Session;
use crate::engine::transitions::{Completions, Deliveries, Endings, Starts};
use crate::error::{ConnectError, LookupError, StoreError};
use crate::machine::{Signal, Update, Workflow, WorkflowCall};
use crate::model::{Payload, RunId};
#[cfg(feature = "schedules")]
pub use crate::schedules::{Counts, LogEntry, LogKind, Overlap};
use crate::store::{ArrivalKind, RunKey, RunRecord, Store};

/// A connection to the database of a program's runs. Cheap to clone.
///
/// # When the database is away
/// A call that meets a restarting database or a broken connection is retried for about 5 s, with waits that double
/// up to a second; its effect still happens once. Then it fails with a [`StoreError`]. Its
/// [`is_retryable`](StoreError::is_retryable) says whether calling again may help, and its sources say what is
/// wrong, for example that connections are refused or that the server does not respond. Errors that a retry cannot
/// fix are returned at once. There are two exceptions: [`RunHandle::result`] waits without a limit, and a signal
/// without a [dedup key](Send::dedup_key) is not sent again once it may have arrived.
///
/// After a failover, the old Postgres server counts as away as soon as it accepts no writes, so no call reads
/// outdated rows from it. A SQLite file that is moved, deleted or replaced while it is open counts as away as well.
///
/// Dropping the future of a call does not undo it: its effect may or may not happen.
#[derive(Clone, Debug)]
pub struct Client {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    /// The store.
    store: Arc<dyn Store>,
    /// Starts of runs.
    starts: Batcher<Starts>,
    /// Signals and other arrivals.
    deliveries: Batcher<Deliveries>,
    /// Completions of promises.
    completions: Batcher<Completions>,
    /// Reports on attempts of queued activities.
    reports: Reports,
    /// Queries of callers that wait for results.
    endings: Batcher<Endings>,
    /// The schemas and definitions that are recorded in the database.
    recorded: Arc<Recorded>,
    /// Messages that workflows are known to await.
    awaited: Mutex<HashSet<awaited::Message>>,
    /// What was sent as JSON has been found to be read as.
    sent_types: Mutex<awaited::SentTypes>,
    /// The workers of this process that use this client.
    hosts: Mutex<Vec<Weak<Session>>>,
}

impl Client {
    /// Opens a database and migrates its schema: `sqlite:orders.db` for a file, which is created if it is missing,
    /// `sqlite::memory:`, or `postgres://user:password@host/database`. See [`connect`](crate::store::connect) for
    /// details, and [`StoreOptions`](crate::store::StoreOptions) for options.
    ///
    /// Acknowledged writes are on disk: a SQLite file always uses a write-ahead log and `synchronous=FULL`, and on
    /// Postgres commits are synchronous.
    ///
    /// Does not retry: a server that cannot be reached is an error. If the future is dropped, a new file or new
    /// tables may remain; the next call uses them.
    ///
    /// # Errors
    /// [`ConnectError`]; see [`connect`](crate::store::connect).
    pub async fn connect(url: &str) -> Result<Self, ConnectError> {
        Ok(Self::new(crate::store::connect(url).await?))
    }

    /// A client of this store. Spawns background tasks.
    ///
    /// # Panics
    /// If called outside of a tokio runtime.
    pub fn new(store: Arc<dyn Store>) -> Self {
        let starts = Batcher::spawn(Starts { store: Arc::clone(&store) }, 1);
        let deliveries = Batcher::spawn(Deliveries { store: Arc::clone(&store) }, 1);
        let completions = Batcher::spawn(Completions { store: Arc::clone(&store) }, 1);
        let endings = Batcher::spawn(Endings { store: Arc::clone(&store) }, 1);
        let (hosts, awaited, sent_types) = (Mutex::default(), Mutex::default(), Mutex::default());
        let reports = Reports::to(&store);
        let recorded = Arc::default();
        let shared = Shared {
            store,
            starts,
            deliveries,
            completions,
            reports,
            endings,
            recorded,
            awaited,
            sent_types,
            hosts,
        };
        Self { shared: Arc::new(shared) }
    }

    /// Starts a run. Await the returned value, after setting options:
    /// `client.start(fulfill(order)).id("order-42").await?`. When the await returns, the run is on disk.
    pub fn start<W: Workflow>(&self, call: WorkflowCall<W>) -> Start<W> {
        Start::new(self.clone(), call)
    }

    /// Looks up a run of `W` by its workflow id or run id. A workflow id names the open run that has it, or else
    /// the one started last. A run that a run of `W` has continued as counts as one of `W`.
    ///
    /// # Errors
    /// [`LookupError::Unknown`] if there is none, [`LookupError::OtherWorkflow`] if it is not a run
    /// of `W`, [`LookupError::Store`] if the database [is away](Client#when-the-database-is-away) for too
    /// long.
    pub async fn run<W: Workflow>(
        &self,
        key: impl Into<RunKey>,
    ) -> Result<RunHandle<W>, LookupError> {
        let name = W::registered_name().unwrap_or(W::NAME);
        Ok(RunHandle::of(self.find_of(key.into(), name, W::FORMERLY).await?))
    }

    /// A run of a workflow with this name, which had other names formerly. See [`Client::run`].
    async fn find_of(
        &self,
        key: RunKey,
        expected: &'static str,
        formerly: &[&str],
    ) -> Result<OneRun, LookupError> {
        let Some(record) = self.find(key.clone()).await? else {
            return Err(LookupError::Unknown(key));
        };
        let is_name = |name: &str| name == expected || formerly.contains(&name);
        if !kin::belongs_to(self, &record, is_name).await? {
            return Err(LookupError::OtherWorkflow {
                run_id: record.run_id,
                found: record.workflow,
                expected,
            });
        }
        Ok(OneRun::new(self.clone(), record.run_id, record.workflow_id))
    }

    /// The definitions of a workflow that open runs depend on, with the number of runs in each state of each
    /// definition. Includes runs of former names of the workflow (`#[workflow(formerly = "…")]`) and of all its
    /// versions. When no run depends on a former name or an old version, its code can be removed.
    ///
    /// # Errors
    /// [`StoreError`] if the database [is away](Client#when-the-database-is-away) for too long.
    pub async fn definitions_in_use(
        &self,
        workflow: &str,
    ) -> Result<Vec<DefinitionInUse>, StoreError> {
        in_use::in_use(&**self.store(), workflow).await
    }

    /// Sends a signal to the open run with this workflow id, or else starts a run that has the signal in its inbox
    /// before its first step. Exactly one of the two happens, even if several programs call this at the same time.
    /// Await the returned value, after setting the id: `client.signal_or_start(Approve { by },
    /// fulfill(order)).id("order-42").await?`.
    ///
    /// Errors: those of a start and of a signal, see [`StartError`](crate::error::StartError).
    pub fn signal_or_start<S: Signal, W: Workflow>(
        &self,
        signal: S,
        call: WorkflowCall<W>,
    ) -> SignalOrStart<W> {
        SignalOrStart::new(self.clone(), call, send::signal(&signal))
    }

    /// Sends an update to the open run with this workflow id, or else starts a run that has the update in its inbox
    /// before its first step. Exactly one of the two happens, even if several programs call this at the same time.
    /// Await the returned value for the answer, after setting the ids: `client.update_or_start(AddItem { sku },
    /// order(customer)).id("order-42").update_id("add-1").await?`.
    ///
    /// Errors: see [`UpdateError`](crate::error::UpdateError).
    pub fn update_or_start<U: Update, W: Workflow>(
        &self,
        update: U,
        call: WorkflowCall<W>,
    ) -> UpdateOrStart<W, U> {
        UpdateOrStart::new(self.clone(), call, update)
    }

    /// Sends a signal as JSON, for programs without its type: `name` is its stored name, by default the name of the
    /// type. The run reads the JSON like a value of the type. A name that no build of the run's workflow awaits and a
    /// value that none can read are refused, and nothing is written: types of this program decide by their code, those of
    /// other builds by their recorded schemas. [`Send::unchecked`] allows both. A value that cannot be read after all becomes a [dead letter](Client::dead_letters), and the run
    /// takes the next signal. Await the returned value, after setting a dedup key if needed.
    ///
    /// Errors: [`SignalError::NotAwaited`](crate::error::SignalError::NotAwaited),
    /// [`SignalError::Unfit`](crate::error::SignalError::Unfit),
    /// [`SignalError::NoRun`](crate::error::SignalError::NoRun) and so on, as for [`RunHandle::signal`].
    pub fn signal_json(
        &self,
        run: impl Into<RunKey>,
        name: impl Into<String>,
        value: &serde_json::Value,
    ) -> Send {
        let payload = Payload::from_json(value);
        let kind = ArrivalKind::Signal { name: name.into(), payload };
        Send::new(self.clone(), run, Ok(kind)).checked()
    }

    /// A run of any workflow, as stored; `None` if there is no such run.
    ///
    /// # Errors
    /// [`StoreError`] if the database [is away](Client#when-the-database-is-away) for too long, or contains a row
    /// that cannot be read.
    pub async fn find(&self, key: impl Into<RunKey>) -> Result<Option<RunRecord>, StoreError> {
        let (store, key) = (&self.shared.store, key.into());
        patiently(|| store.find_run(&key)).await
    }

    /// Unblocks a run, so that a worker tries to continue it. Does nothing if the run is not blocked.
    ///
    /// # Errors
    /// [`LookupError::Unknown`] if there is no such run, [`LookupError::Store`] if the database
    /// [is away](Client#when-the-database-is-away) for too long; calling again is safe.
    pub async fn unblock(&self, run_id: RunId) -> Result<(), LookupError> {
        let unblocked = patiently(|| self.shared.store.unblock_runs(&[], Some(run_id))).await?;
        if unblocked == 0 && self.find(run_id).await?.is_none() {
            return Err(LookupError::Unknown(run_id.into()));
        }
        Ok(())
    }

    /// The store that the client uses.
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.shared.store
    }

    /// Closes the database connections. Shut the workers of this client down first.
    pub async fn close(self) {
        self.shared.store.close().await;
    }

    /// The schemas and definitions that are recorded in the database.
    pub(crate) fn recorded(&self) -> &Arc<Recorded> {
        &self.shared.recorded
    }

    pub(crate) fn deliveries(&self) -> &Batcher<Deliveries> {
        &self.shared.deliveries
    }

    fn endings(&self) -> &Batcher<Endings> {
        &self.shared.endings
    }

    fn completions(&self) -> &Batcher<Completions> {
        &self.shared.completions
    }

    pub(crate) fn reports(&self) -> &Reports {
        &self.shared.reports
    }

    fn starts(&self) -> &Batcher<Starts> {
        &self.shared.starts
    }

    /// Allows runs to be started in this session.
    pub(crate) fn add_host(&self, session: &Arc<Session>) {
        self.lock_hosts().push(Arc::downgrade(session));
    }

    /// Starts no more runs in this session.
    pub(crate) fn remove_host(&self, session: &Arc<Session>) {
        let gone = Arc::downgrade(session);
        self.lock_hosts().retain(|host| !host.ptr_eq(&gone));
    }

    /// A session of this process that takes runs of this workflow.
    fn host(&self, workflow: &str) -> Option<Arc<Session>> {
        let hosts = self.lock_hosts();
        hosts.iter().filter_map(Weak::upgrade).find(|session| {
            session.is_serving() && session.host.registry.workflow(workflow).is_some()
        })
    }

    fn lock_awaited(&self) -> std::sync::MutexGuard<'_, HashSet<awaited::Message>> {
        // The set is consistent after every operation, so a poisoned lock is usable.
        self.shared.awaited.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock_sent_types(&self) -> std::sync::MutexGuard<'_, awaited::SentTypes> {
        // Whole after every operation, so a panic elsewhere does not spoil it.
        self.shared.sent_types.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock_hosts(&self) -> std::sync::MutexGuard<'_, Vec<Weak<Session>>> {
        // The list is consistent after every operation, so a poisoned lock is usable.
        self.shared.hosts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
