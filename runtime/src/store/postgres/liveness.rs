//! Advisory locks that tell the living from the dead.
//!
//! The [session](super::session) holds one lock for each worker registered through the store. The
//! server releases them when the connection ends, which the death of the process does at once. A
//! process that is stopped keeps its connection; for that there is the lease.
//!
//! A connection may also break while its process lives. The session then makes another and takes
//! its locks again; only a worker whose lock is found free twice, [`GRACE`] apart, is called dead.
//! To be fenced by mistake costs a worker its runs and nothing else.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use sqlx::PgPool;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

use super::session::Wish;
use crate::model::WorkerId;

/// How long a lock has to be free. Longer than it takes to make a connection when the server is
/// well, and short against the second within which a death should be noticed.
const GRACE: Duration = Duration::from_millis(300);

const UNLOCKED: &str = "SELECT worker_id FROM piton_workers WHERE fenced_at IS NULL AND is_locked \
    AND NOT EXISTS (SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 2 AND granted \
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) \
    AND classid::bigint = hashtext('piton ' || current_schema())::bigint & 4294967295 \
    AND objid::bigint = worker_id & 2147483647)";

/// The locks of the workers registered through one store, and what it has seen of others.
#[derive(Debug)]
pub(super) struct Liveness {
    wishes: mpsc::UnboundedSender<Wish>,
    session: JoinHandle<()>,
    /// The workers whose locks were found free, and since when.
    missing: Mutex<HashMap<WorkerId, Instant>>,
}

impl Liveness {
    pub(super) fn new(wishes: mpsc::UnboundedSender<Wish>, session: JoinHandle<()>) -> Self {
        Self { wishes, session, missing: Mutex::default() }
    }

    /// Takes the lock of a worker that nobody knows of yet; returns whether it is held.
    pub(super) async fn hold(&self, worker: WorkerId) -> bool {
        let (answer, answered) = oneshot::channel();
        self.wishes.send(Wish::Hold(worker, answer)).is_ok() && answered.await.unwrap_or(false)
    }

    /// Releases a worker's lock, if it is held here.
    pub(super) fn let_go(&self, worker: WorkerId) {
        // If the session has ended, so have its locks.
        let _ = self.wishes.send(Wish::LetGo(worker));
    }

    /// The workers whose locks have been free for long enough.
    pub(super) async fn find_dead(&self, pool: &PgPool) -> Result<Vec<WorkerId>, sqlx::Error> {
        let unlocked: Vec<i64> = sqlx::query_scalar(UNLOCKED).fetch_all(pool).await?;
        let now = Instant::now();
        let mut missing = self.missing();
        missing.retain(|worker, _| unlocked.contains(&worker.0));
        let mut dead = Vec::new();
        for worker in unlocked.into_iter().map(WorkerId) {
            if now.duration_since(*missing.entry(worker).or_insert(now)) >= GRACE {
                dead.push(worker);
            }
        }
        Ok(dead)
    }

    /// Ends the session, and with it all locks.
    pub(super) fn close(&self) {
        self.session.abort();
    }

    fn missing(&self) -> MutexGuard<'_, HashMap<WorkerId, Instant>> {
        // The map is whole after every operation, so a panic elsewhere does not spoil it.
        self.missing.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Liveness {
    fn drop(&mut self) {
        self.close();
    }
}
