//! A store in memory, with the same contract and no durability: for tests and simulation.
//!
//! Its clock follows tokio's, so paused time moves it, and can be set forward or back by hand. A
//! [`Hook`] sees every call before and after its transition and may delay or fail it, and
//! [`WriteCounts`] tell what a durable store would have written. [`MemoryStore::connect`] gives what
//! another process has of the same database: news and a hook of its own.

mod activities;
mod database;
mod hook;
mod state;
mod transaction;
mod workers;

use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use async_trait::async_trait;
use tokio::time::Instant;

use self::database::{Database, MemoryClock};
pub use self::hook::{Hook, Write};
use self::state::{News, State};
pub use self::transaction::Notebook;
use super::{
    ActivityHeartbeat, ActivityKey, ActivityRecord, ActivityTransaction, Arrival, ArrivalOutcome,
    ClaimActivities, ClaimRequest, Claimed, ClaimedActivities, ClaimedRun, CommitOutcome,
    CommitStep, DefinitionRecord, ExpiredActivity, FinishActivity, FinishOutcome, FoundEnding,
    HeartbeatOutcome, Hub, ManualClock, NewArrival, NewRun, NewWorker, Renewal, ReviewedActivities,
    ReviewedRuns, RunFilter, RunKey, RunRecord, StartOutcome, Store, WorkerLease,
};
use crate::error::StoreError;
use crate::model::{DefinitionHash, RunId, RunStatus, Timestamp, WorkerId};

/// What a durable store would have written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WriteCounts {
    /// Transactions that wrote something.
    pub transactions: u64,
    /// Runs inserted.
    pub run_inserts: u64,
    /// Updates of a run's row by a commit of its owner.
    pub step_updates: u64,
    /// Arrivals inserted.
    pub arrivals: u64,
    /// Activities put on queues.
    pub activity_inserts: u64,
}

/// See the [module documentation](self).
pub struct MemoryStore {
    /// The connection itself, for transactions that outlive a call.
    this: Weak<Self>,
    /// News for this process.
    hub: Arc<Hub>,
    /// What sees and spoils calls.
    hook: Mutex<Option<Arc<dyn Hook>>>,
    /// Whether the workers registered since the last [`MemoryStore::disconnect`] count as dead.
    is_gone: Mutex<Arc<AtomicBool>>,
    /// What all connections share.
    database: Arc<Database>,
}

impl MemoryStore {
    /// An empty store. Its clock follows tokio's and starts at 2026-01-01T00:00:00Z, so that tests
    /// see the same times.
    pub fn new() -> Arc<Self> {
        Self::with(MemoryClock::Tokio {
            started: Instant::now(),
            base: Timestamp(1_767_225_600_000_000),
            moved: AtomicI64::new(0),
        })
    }

    /// An empty store that goes by `clock`.
    pub fn with_clock(clock: Arc<ManualClock>) -> Arc<Self> {
        Self::with(MemoryClock::Manual(clock))
    }

    fn with(clock: MemoryClock) -> Arc<Self> {
        let (state, connections) = (Mutex::default(), Mutex::default());
        Self::of(Arc::new(Database { state, clock, connections }))
    }

    fn of(database: Arc<Database>) -> Arc<Self> {
        let store = Arc::new_cyclic(|this| Self {
            this: Weak::clone(this),
            hub: Arc::default(),
            hook: Mutex::default(),
            is_gone: Mutex::default(),
            database,
        });
        store.database.lock_connections().push(Arc::downgrade(&store));
        store
    }

    /// Another connection to the same rows, as another process has: with news and a hook of its
    /// own.
    pub fn connect(&self) -> Arc<Self> {
        Self::of(Arc::clone(&self.database))
    }

    /// Lets the other connections find that the workers registered so far through this one are
    /// dead, as the death of its process or a broken network would. This one can be used as before.
    pub fn disconnect(&self) {
        let is_gone = std::mem::take(&mut *self.lock_gone());
        is_gone.store(true, Ordering::Relaxed);
    }

    fn lock_gone(&self) -> MutexGuard<'_, Arc<AtomicBool>> {
        self.is_gone.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has `hook` see every call from now on, in place of an earlier one.
    pub fn set_hook(&self, hook: Arc<dyn Hook>) {
        *self.hook.lock().unwrap_or_else(PoisonError::into_inner) = Some(hook);
    }

    /// Sets a clock that follows tokio's forward or back by this many microseconds, as an operator
    /// would. A manual clock is moved by itself.
    pub fn move_clock(&self, micros: i64) {
        if let MemoryClock::Tokio { moved, .. } = &self.database.clock {
            moved.fetch_add(micros, Ordering::Relaxed);
        }
    }

    /// Derives the ids of runs from `seed`, the clock and their number from now on, so that they are
    /// the same each time.
    pub fn repeat_run_ids(&self, seed: u32) {
        self.lock().run_ids = Some((seed, 0));
    }

    /// What has been written so far.
    pub fn counts(&self) -> WriteCounts {
        self.lock().counts
    }

    /// How many activities there are on queues.
    pub fn activities(&self) -> usize {
        self.lock().activities.len()
    }

    /// What activities have written in transactions of their own, in order.
    pub fn notes(&self) -> Vec<String> {
        self.lock().notes.clone()
    }

    /// A run's snapshot as it is kept.
    pub fn snapshot(&self, run_id: RunId) -> Option<Vec<u8>> {
        self.lock().runs.get(&run_id).map(|row| row.snapshot.clone())
    }

    /// Replaces a run's snapshot, as a damaged disk would.
    pub fn overwrite_snapshot(&self, run_id: RunId, snapshot: Vec<u8>) {
        if let Some(row) = self.lock().runs.get_mut(&run_id) {
            row.snapshot = snapshot;
        }
    }

    /// What the database's clock shows.
    pub fn clock(&self) -> Timestamp {
        self.database.clock.now()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // A panic within a transition is a bug of this module; the tests that follow shall show it.
        self.database.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn transition<T>(
        &self,
        operation: &'static str,
        change: impl FnOnce(&mut State, Timestamp, &mut News) -> Result<T, StoreError> + Send,
    ) -> Result<T, StoreError> {
        let hook = self.hook();
        if let Some(hook) = &hook {
            hook.before(operation).await?;
        }
        let now = self.clock();
        let mut news = News { hook: hook.as_deref(), now, ..News::default() };
        let outcome = change(&mut self.lock(), now, &mut news);
        self.spread(&news);
        if let Some(hook) = &hook {
            hook.after(operation).await?;
        }
        outcome
    }

    fn hook(&self) -> Option<Arc<dyn Hook>> {
        self.hook.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl std::fmt::Debug for MemoryStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MemoryStore").field("runs", &self.lock().runs.len()).finish_non_exhaustive()
    }
}

#[async_trait]
impl Store for MemoryStore {
    fn hub(&self) -> &Arc<Hub> {
        &self.hub
    }

    fn new_run_id(&self) -> RunId {
        let mut state = self.lock();
        let Some((seed, number)) = &mut state.run_ids else { return RunId::new() };
        *number += 1;
        let millis = u64::try_from(self.clock().as_micros() / 1_000).unwrap_or_default();
        // The number comes last, so that ids of one millisecond sort as they were given.
        let bytes = ((u128::from(*seed) << 48) | u128::from(*number)).to_be_bytes();
        let bytes = bytes.last_chunk().copied().unwrap_or_default();
        RunId::from(uuid::Builder::from_unix_timestamp_millis(millis, &bytes).into_uuid())
    }

    async fn now(&self) -> Result<Timestamp, StoreError> {
        self.transition("now", |_, now, _| Ok(now)).await
    }

    async fn register_worker(&self, worker: NewWorker) -> Result<WorkerLease, StoreError> {
        self.transition("register_worker", |state, now, news| {
            Ok(state.register_worker(worker, Arc::clone(&self.lock_gone()), now, news))
        })
        .await
    }

    async fn renew_lease(
        &self,
        worker: WorkerLease,
        lease: Duration,
    ) -> Result<Renewal, StoreError> {
        self.transition("renew_lease", |state, now, news| {
            Ok(state.renew_lease(worker, lease, now, news))
        })
        .await
    }

    async fn release_worker(&self, worker: WorkerLease) -> Result<(), StoreError> {
        self.transition("release_worker", |state, now, news| {
            state.release_worker(worker, now, news);
            Ok(())
        })
        .await
    }

    async fn fence_expired_workers(&self) -> Result<(Vec<WorkerId>, u64), StoreError> {
        self.transition("fence_expired_workers", |state, now, news| {
            let expired = state.expired_workers(now);
            let runs = state.fence_workers(&expired, now, news);
            Ok((expired, runs))
        })
        .await
    }

    async fn find_dead_workers(&self) -> Result<Vec<WorkerId>, StoreError> {
        self.transition("find_dead_workers", |state, _, _| Ok(state.dead_workers())).await
    }

    async fn fence_workers(&self, workers: &[WorkerId]) -> Result<u64, StoreError> {
        self.transition("fence_workers", |state, now, news| {
            Ok(state.fence_workers(workers, now, news))
        })
        .await
    }

    async fn list_workers(&self) -> Result<Vec<(WorkerLease, NewWorker)>, StoreError> {
        self.transition("list_workers", |state, _, _| Ok(state.list_workers())).await
    }

    async fn start_runs(&self, runs: Vec<NewRun>) -> Result<Vec<StartOutcome>, StoreError> {
        self.transition("start_runs", |state, now, news| {
            Ok(runs.into_iter().map(|run| state.start_run(run, now, news)).collect())
        })
        .await
    }

    async fn claim_runs(&self, request: ClaimRequest<'_>) -> Result<Claimed, StoreError> {
        self.transition("claim_runs", |state, now, news| state.claim_runs(request, now, news)).await
    }

    async fn recover_claims(
        &self,
        worker: WorkerLease,
        held: &[RunId],
        inbox_limit: u32,
    ) -> Result<Vec<ClaimedRun>, StoreError> {
        self.transition("recover_claims", |state, now, news| {
            state.recover_claims(worker, held, inbox_limit, now, news)
        })
        .await
    }

    async fn commit_steps(
        &self,
        worker: WorkerLease,
        steps: &[CommitStep],
    ) -> Result<Vec<CommitOutcome>, StoreError> {
        self.transition("commit_steps", |state, now, news| {
            state.commit_steps(worker, steps, now, news)
        })
        .await
    }

    async fn deliver(&self, arrivals: Vec<NewArrival>) -> Result<Vec<ArrivalOutcome>, StoreError> {
        self.transition("deliver", |state, now, news| {
            state.counts.transactions += 1;
            Ok(arrivals.into_iter().map(|arrival| state.deliver(arrival, now, news)).collect())
        })
        .await
    }

    async fn claim_activities(
        &self,
        request: ClaimActivities<'_>,
    ) -> Result<ClaimedActivities, StoreError> {
        self.transition("claim_activities", |state, now, news| {
            state.claim_activities(request, now, news)
        })
        .await
    }

    async fn review_activities(
        &self,
        worker: WorkerLease,
        held: &[(ActivityKey, u32)],
    ) -> Result<ReviewedActivities, StoreError> {
        self.transition("review_activities", |state, now, news| {
            state.review_activities(worker, held, now, news)
        })
        .await
    }

    async fn heartbeat_activities(
        &self,
        heartbeats: Vec<ActivityHeartbeat>,
    ) -> Result<Vec<HeartbeatOutcome>, StoreError> {
        self.transition("heartbeat_activities", |state, now, news| {
            state.counts.transactions += 1;
            let note = |beat| state.heartbeat_activity(beat, now, news);
            Ok(heartbeats.into_iter().map(note).collect())
        })
        .await
    }

    async fn finish_activities(
        &self,
        ends: Vec<FinishActivity>,
    ) -> Result<Vec<FinishOutcome>, StoreError> {
        self.transition("finish_activities", |state, now, news| {
            state.counts.transactions += 1;
            Ok(ends.into_iter().map(|end| state.finish_activity(end, now, news)).collect())
        })
        .await
    }

    async fn expired_activities(&self, limit: u32) -> Result<Vec<ExpiredActivity>, StoreError> {
        self.transition("expired_activities", |state, now, _| {
            Ok(state.expired_activities(limit, now))
        })
        .await
    }

    async fn begin_activity(&self) -> Result<Box<dyn ActivityTransaction>, StoreError> {
        let connection = self.this.upgrade().expect("somebody calls it");
        transaction::begin(connection).await
    }

    async fn settle_run(&self, _: RunId) -> Result<(), StoreError> {
        // Nothing goes on behind the back of whoever asked for it.
        self.transition("settle_run", |_, _, _| Ok(())).await
    }

    async fn find_activity(&self, key: ActivityKey) -> Result<Option<ActivityRecord>, StoreError> {
        self.transition("find_activity", |state, _, _| Ok(state.find_activity(key))).await
    }

    async fn read_inbox(
        &self,
        run_id: RunId,
        after: i64,
        limit: u32,
    ) -> Result<Vec<Arrival>, StoreError> {
        self.transition("read_inbox", |state, _, _| {
            Ok(state.runs.get(&run_id).map(|row| row.read_inbox(after, limit)).unwrap_or_default())
        })
        .await
    }

    async fn review_runs(
        &self,
        worker: WorkerLease,
        held: &[(RunId, i64)],
    ) -> Result<ReviewedRuns, StoreError> {
        self.transition("review_runs", |state, _, _| Ok(state.review_runs(worker, held))).await
    }

    async fn find_run(&self, key: &RunKey) -> Result<Option<RunRecord>, StoreError> {
        self.transition("find_run", |state, _, _| Ok(state.find_run(key))).await
    }

    async fn find_snapshot(&self, run_id: RunId) -> Result<Option<Vec<u8>>, StoreError> {
        self.transition("find_snapshot", |state, _, _| {
            Ok(state.runs.get(&run_id).map(|row| row.snapshot.clone()))
        })
        .await
    }

    async fn find_endings(&self, run_ids: &[RunId]) -> Result<Vec<FoundEnding>, StoreError> {
        self.transition("find_endings", |state, _, _| Ok(state.find_endings(run_ids))).await
    }

    async fn list_runs(
        &self,
        filter: &RunFilter,
        limit: u32,
    ) -> Result<Vec<RunRecord>, StoreError> {
        self.transition("list_runs", |state, _, _| {
            let newest_first = state.matching(filter).rev();
            Ok(newest_first.take(limit as usize).map(|row| row.record()).collect())
        })
        .await
    }

    async fn count_runs(&self, filter: &RunFilter) -> Result<Vec<(RunStatus, u64)>, StoreError> {
        self.transition("count_runs", |state, _, _| {
            let count = |status| {
                let runs = state.matching(filter).filter(|row| row.status == status).count();
                (status, runs as u64)
            };
            Ok(RunStatus::ALL.into_iter().map(count).filter(|(_, runs)| *runs > 0).collect())
        })
        .await
    }

    async fn terminate_run(&self, run_id: RunId, reason: &str) -> Result<bool, StoreError> {
        self.transition("terminate_run", |state, now, news| {
            Ok(state.terminate_run(run_id, reason, now, news))
        })
        .await
    }

    async fn unblock_runs(
        &self,
        workflows: &[&str],
        run_id: Option<RunId>,
    ) -> Result<u64, StoreError> {
        self.transition("unblock_runs", |state, now, news| {
            Ok(state.unblock_runs(workflows, run_id, now, news))
        })
        .await
    }

    async fn record_definitions(&self, definitions: &[DefinitionRecord]) -> Result<(), StoreError> {
        self.transition("record_definitions", |state, _, _| {
            for definition in definitions {
                let key = (definition.workflow.clone(), definition.hash.0);
                state.definitions.entry(key).or_insert_with(|| definition.clone());
            }
            Ok(())
        })
        .await
    }

    async fn find_definition(
        &self,
        workflow: &str,
        hash: DefinitionHash,
    ) -> Result<Option<DefinitionRecord>, StoreError> {
        self.transition("find_definition", |state, _, _| {
            Ok(state.definitions.get(&(workflow.to_owned(), hash.0)).cloned())
        })
        .await
    }

    async fn close(&self) {}
}
