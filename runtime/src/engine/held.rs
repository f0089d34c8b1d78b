//! The runs that a session owns: each has a driver that has not ended.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::mpsc;
use tracing::warn;

use super::session::Session;
use crate::error::{StoreError, with_causes};
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
    /// How far the driver has read the inbox.
    inbox_read: Arc<AtomicI64>,
}

impl HeldRuns {
    /// Whether a run is among them.
    pub(crate) fn has(&self, run_id: RunId) -> bool {
        self.lock().contains_key(&run_id)
    }

    /// All of them and how far their inboxes have been read.
    pub(crate) fn list(&self) -> Vec<(RunId, i64)> {
        let runs = self.lock();
        runs.iter().map(|(id, held)| (*id, held.inbox_read.load(Ordering::Relaxed))).collect()
    }

    /// Those that the session has reason to own: held, or being started.
    pub(crate) fn known(&self) -> Vec<RunId> {
        // Those being started first: one that is held in between is in both.
        let mut known: Vec<RunId> = self.lock_starting().iter().copied().collect();
        known.extend(self.lock().keys());
        known
    }

    /// Tells the driver of a run of it.
    pub(crate) fn tell(&self, run_id: RunId, event: RunEvent) {
        if let Some(held) = self.lock().get(&run_id) {
            // A driver that has ended needs no news.
            let _ = held.events.send(event);
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<RunId, Held>> {
        // Whole after every operation, so a panic elsewhere does not spoil it.
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock_starting(&self) -> MutexGuard<'_, BTreeSet<RunId>> {
        self.starting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Compares the runs that the session holds with those that the database says it owns.
pub(crate) async fn review(session: &Session) -> Result<(), StoreError> {
    let held = session.runs.list();
    if !held.is_empty() {
        let reviewed = session.store.review_runs(session.lease(), &held).await?;
        reviewed.unread.into_iter().for_each(|id| session.runs.tell(id, RunEvent::Arrival(id)));
        reviewed.lost.into_iter().for_each(|id| session.runs.tell(id, RunEvent::Settled(id)));
    }
    Ok(())
}

/// A run that is being started for a session, until this is dropped. The database may say that the
/// session owns it before the session has heard.
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

/// A run's place among those held, until its driver drops it.
#[derive(Debug)]
pub(crate) struct Hold {
    /// Who holds it.
    pub(crate) session: Arc<Session>,
    run_id: RunId,
    /// The number of the last arrival taken into account; the sweep reads it.
    pub(crate) inbox_read: Arc<AtomicI64>,
    /// Whether the worker may own the run all the same.
    is_in_doubt: bool,
}

impl Hold {
    /// Puts a run among those held. News of it goes to `events`.
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

    /// Says that the driver ends and the worker may own the run, which a later sweep has to tell.
    pub(crate) fn doubt(&mut self) {
        self.is_in_doubt = true;
    }

    /// The same, unless the run is another's or closed.
    pub(crate) async fn doubt_if_owned(&mut self) {
        let Self { session, run_id, .. } = self;
        let is_owned = match session.store.find_run(&RunKey::RunId(*run_id)).await {
            Ok(run) => run.is_some_and(|run| run.owner == Some(session.lease().worker_id)),
            Err(error) => {
                warn!(%run_id, error = %with_causes(&error), "it is not known whose a run is");
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
        // A run that was parked and claimed again at once has another driver by now.
        if runs
            .get(&self.run_id)
            .is_some_and(|held| Arc::ptr_eq(&held.inbox_read, &self.inbox_read))
        {
            runs.remove(&self.run_id);
        }
        drop(runs);
        // A driver that panics has no say in it.
        if self.is_in_doubt || std::thread::panicking() {
            self.session.strays.stand();
        }
    }
}
