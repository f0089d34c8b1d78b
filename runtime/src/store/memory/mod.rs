//! A store in memory, with the same contract and no durability: for tests and simulation.
//!
//! Its clock follows tokio's, so paused time moves it, and can be set forward or back. A [`Hook`] observes every call
//! before and after its transition and may delay or fail it, and [`WriteCounts`] counts what a durable store would have
//! written. [`MemoryStore::connect`] opens another connection to the same rows, as another process would, with its own
//! notifications and hook. [`MemoryStore::leave_out`] switches a guard off.

mod activities;
mod attendance;
mod changes;
mod database;
mod definitions;
mod details;
mod edits;
mod effects;
mod failed_calls;
mod guard;
mod history;
mod hook;
mod kin;
mod lifecycle;
mod messages;
mod partitions;
mod promises;
mod queues;
mod retention;
mod runs;
mod schedules;
mod state;
mod transaction;
mod visibility;
mod workers;

use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use async_trait::async_trait;
use tokio::time::Instant;

use self::database::{Database, MemoryClock};
pub use self::guard::Guard;
pub use self::hook::{Held, Hook, Late, Write};
use self::state::{News, State};
pub use self::transaction::Notebook;
use super::{Hub, ManualClock, Store};
use crate::error::StoreError;
use crate::model::{RunId, Timestamp};

/// The number of writes that a durable store would have made.
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
    /// Notifications of this process.
    hub: Arc<Hub>,
    /// The hook of this connection.
    hook: Mutex<Option<Arc<dyn Hook>>>,
    /// Whether the workers registered since the last [`MemoryStore::disconnect`] count as dead.
    is_gone: Mutex<Arc<AtomicBool>>,
    /// The state that all connections share.
    database: Arc<Database>,
}

impl MemoryStore {
    /// An empty store. Its clock follows tokio's and starts at 2026-01-01T00:00:00Z, so that times in tests are
    /// reproducible.
    pub fn new() -> Arc<Self> {
        Self::with(MemoryClock::Tokio {
            started: Instant::now(),
            base: Timestamp(1_767_225_600_000_000),
            moved: AtomicI64::new(0),
        })
    }

    /// An empty store with this clock.
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

    /// Another connection to the same rows, as another process would have: with notifications and a hook of its
    /// own.
    pub fn connect(&self) -> Arc<Self> {
        Self::of(Arc::clone(&self.database))
    }

    /// Lets the other connections find that the workers registered so far through this connection are dead, as
    /// after the death of its process or a broken network. This connection stays usable.
    pub fn disconnect(&self) {
        let is_gone = std::mem::take(&mut *self.lock_gone());
        is_gone.store(true, Ordering::Relaxed);
    }

    fn lock_gone(&self) -> MutexGuard<'_, Arc<AtomicBool>> {
        self.is_gone.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets the hook of this connection, in place of an earlier one.
    pub fn set_hook(&self, hook: Arc<dyn Hook>) {
        *self.hook.lock().unwrap_or_else(PoisonError::into_inner) = Some(hook);
    }

    /// Sets a clock that follows tokio's forward or back by this many microseconds, as an operator would. A manual
    /// clock is set itself.
    pub fn move_clock(&self, micros: i64) {
        if let MemoryClock::Tokio { moved, .. } = &self.database.clock {
            moved.fetch_add(micros, Ordering::Relaxed);
        }
    }

    /// Derives run ids from `seed`, the clock and a counter from now on, so that they are reproducible.
    pub fn repeat_run_ids(&self, seed: u32) {
        self.lock().run_ids = Some((seed, 0));
    }

    /// The writes so far.
    pub fn counts(&self) -> WriteCounts {
        self.lock().counts
    }

    /// The number of queued activities.
    pub fn activities(&self) -> usize {
        self.lock().activities.len()
    }

    /// The notes written by transactions of activities, in order.
    pub fn notes(&self) -> Vec<String> {
        self.lock().notes.clone()
    }

    /// A run's stored snapshot.
    pub fn snapshot(&self, run_id: RunId) -> Option<Vec<u8>> {
        self.lock().runs.get(&run_id).map(|row| row.snapshot.clone())
    }

    /// Replaces a run's snapshot, as a damaged disk would.
    pub fn overwrite_snapshot(&self, run_id: RunId, snapshot: Vec<u8>) {
        if let Some(row) = self.lock().runs.get_mut(&run_id) {
            row.snapshot = snapshot;
        }
    }

    /// The database's time.
    pub fn clock(&self) -> Timestamp {
        self.database.clock.now()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // A panic within a transition is a bug of this module, and later tests shall see it.
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
        let outcome = self.carry_out(hook.as_deref(), change);
        if let Some(hook) = &hook {
            hook.after(operation).await?;
        }
        outcome
    }

    /// A transition that owns its input, so that it can be executed after it has failed.
    async fn request<T: Send + 'static>(
        &self,
        operation: &'static str,
        change: impl FnOnce(&mut State, Timestamp, &mut News) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let late = self.hook().and_then(|hook| hook.late(operation));
        let Some(Late { after, error, hook }) = late else {
            return self.transition(operation, change).await;
        };
        let connection = self.this.upgrade().expect("somebody calls it");
        tokio::spawn(async move {
            tokio::time::sleep(after).await;
            drop(connection.carry_out(Some(&*hook), change));
        });
        Err(error)
    }

    fn carry_out<T>(
        &self,
        hook: Option<&dyn Hook>,
        change: impl FnOnce(&mut State, Timestamp, &mut News) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let now = self.clock();
        let mut news = News { hook, now, ..News::default() };
        let outcome = change(&mut self.lock(), now, &mut news);
        self.spread(&news);
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

    async fn now(&self) -> Result<Timestamp, StoreError> {
        self.transition("now", |_, now, _| Ok(now)).await
    }

    fn has_virtual_clock(&self) -> bool {
        true
    }

    fn new_run_id(&self) -> RunId {
        let mut state = self.lock();
        let Some((seed, number)) = &mut state.run_ids else { return RunId::new() };
        *number += 1;
        let millis = u64::try_from(self.clock().as_micros() / 1_000).unwrap_or_default();
        // The counter comes last, so that ids of one millisecond sort in the order of their creation.
        let bytes = ((u128::from(*seed) << 48) | u128::from(*number)).to_be_bytes();
        let bytes = bytes.last_chunk().copied().unwrap_or_default();
        RunId::from(uuid::Builder::from_unix_timestamp_millis(millis, &bytes).into_uuid())
    }

    async fn close(&self) {}
}
