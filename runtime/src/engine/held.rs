//! The runs that a session owns. Each has a driver.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::mpsc;

use super::session::Session;
use crate::engine::outage::tried_again;
use crate::error::StoreError;
use crate::model::RunId;
use crate::store::{RunEvent, RunKey};

/// See the [module documentation](self).
#[derive(Debug, Default)]
pub(crate) struct HeldRuns {
    held: Mutex<BTreeMap<RunId, Held>>,
    starting: Mutex<BTreeSet<RunId>>,
}

#[derive(Debug)]
struct Held {
    events: mpsc::UnboundedSender<RunEvent>,
    /// The number of the last arrival that the driver has read.
    inbox_read: Arc<AtomicI64>,
}

impl HeldRuns {
    /// Whether a run is held.
    pub(crate) fn has(&self, run_id: RunId) -> bool {
        self.lock().contains_key(&run_id)
    }

    /// All held runs, with the numbers of their last read arrivals.
    pub(crate) fn list(&self) -> Vec<(RunId, i64)> {
        let runs = self.lock();
        runs.iter().map(|(id, held)| (*id, held.inbox_read.load(Ordering::Relaxed))).collect()
    }

    /// The runs that the session owns or is about to own: held, or being started.
    pub(crate) fn known(&self) -> Vec<RunId> {
        // Those being started first: a run that moves between the two sets is then found in at least one.
        let mut known: Vec<RunId> = self.lock_starting().iter().copied().collect();
        known.extend(self.lock().keys());
        known
    }

    /// Sends an event to the driver of a run.
    pub(crate) fn tell(&self, run_id: RunId, event: RunEvent) {
        if let Some(held) = self.lock().get(&run_id) {
            // A driver that has ended needs no events.
            let _ = held.events.send(event);
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<RunId, Held>> {
        // The map is consistent after every operation, so a poisoned lock is usable.
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock_starting(&self) -> MutexGuard<'_, BTreeSet<RunId>> {
        self.starting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Compares the runs that the session holds with those that it owns in the database.
pub(crate) async fn review(session: &Session) -> Result<(), StoreError> {
    let held = session.runs.list();
    if !held.is_empty() {
        let reviewed = session.store.review_runs(session.lease(), &held).await?;
        reviewed.unread.into_iter().for_each(|id| session.runs.tell(id, RunEvent::Arrival(id)));
        reviewed.lost.into_iter().for_each(|id| session.runs.tell(id, RunEvent::Settled(id)));
    }
    Ok(())
}

/// Marks a run as being started for a session, until dropped. The database may report the session as the owner
/// before the response of the start arrives.
#[derive(Debug)]
pub(crate) struct Starting {
    session: Arc<Session>,
    run_id: RunId,
}

impl Starting {
    pub(crate) fn new(session: &Arc<Session>, run_id: RunId) -> Self {
        session.runs.lock_starting().insert(run_id);
        Self { session: Arc::clone(session), run_id }
    }
}

impl Drop for Starting {
    fn drop(&mut self) {
        self.session.runs.lock_starting().remove(&self.run_id);
    }
}

/// A run's entry among the held runs, until its driver drops it.
#[derive(Debug)]
pub(crate) struct Hold {
    /// Who holds it.
    pub(crate) session: Arc<Session>,
    run_id: RunId,
    /// The number of the last arrival read by the driver, for the sweep.
    pub(crate) inbox_read: Arc<AtomicI64>,
    /// Whether the worker may still own the run after the driver has ended.
    is_in_doubt: bool,
}

impl Hold {
    /// Adds a run. Its events go to `events`.
    pub(crate) fn new(
        session: &Arc<Session>,
        run_id: RunId,
        events: mpsc::UnboundedSender<RunEvent>,
    ) -> Self {
        let inbox_read = Arc::new(AtomicI64::new(0));
        let held = Held { events, inbox_read: Arc::clone(&inbox_read) };
        session.runs.lock().insert(run_id, held);
        let session = Arc::clone(session);
        Self { session, run_id, inbox_read, is_in_doubt: false }
    }

    /// Marks that the driver ends although the worker may own the run; a later sweep finds out.
    pub(crate) fn doubt(&mut self) {
        self.is_in_doubt = true;
    }

    /// The same, unless the run has another owner or is closed.
    pub(crate) async fn doubt_if_owned(&mut self) {
        let Self { session, run_id, .. } = self;
        let is_owned = match session.store.find_run(&RunKey::RunId(*run_id)).await {
            Ok(run) => run.is_some_and(|run| run.owner == Some(session.lease().worker_id)),
            Err(error) => {
                tried_again!(&error, %run_id, "it is not known whose a run is");
                true
            }
        };
        if is_owned {
            self.doubt();
        }
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        let mut runs = self.session.runs.lock();
        // If the run was parked and claimed again at once, the entry belongs to another driver.
        if runs
            .get(&self.run_id)
            .is_some_and(|held| Arc::ptr_eq(&held.inbox_read, &self.inbox_read))
        {
            runs.remove(&self.run_id);
        }
        drop(runs);
        // A driver that panics cannot decide.
        if self.is_in_doubt || std::thread::panicking() {
            self.session.strays.stand();
        }
    }
}
