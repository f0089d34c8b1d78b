//! Advisory locks that tell the living from the dead.
//!
//! The [session](super::session) holds one lock for each worker registered through the store. The
//! server releases them when the connection ends, which the death of the process does at once. A
//! process that is stopped keeps its connection; for that there is the lease.
//!
//! A connection may also break while its process lives. The session then makes another and takes
//! its locks again; only a worker whose lock is found free twice, [`GRACE`] apart, is called dead.
//! To be fenced by mistake costs a worker its runs and nothing else. But a server that restarts
//! frees all locks at once, so whoever has lost its own connection calls nobody dead until
//! [everybody had time](SETTLE) to take their locks again.

use std::time::Duration;

use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinHandle;
use tokio::time::Instant;

use super::lanes::Lanes;
use super::server::takes_writes;
use super::session::Wish;
use crate::model::WorkerId;

/// How long a lock has to be free. Longer than it takes to make a connection when the server is
/// well, and short against the second within which a death should be noticed.
const GRACE: Duration = Duration::from_millis(300);

/// How long the others may take to connect again after a restart of the server: two of the longest
/// waits of a [session](super::session), and some time to do it.
pub(super) const SETTLE: Duration = Duration::from_secs(5);

const UNLOCKED: &str = concat!(
    "SELECT worker_id FROM piton_workers WHERE ",
    takes_writes!(),
    " AND fenced_at IS NULL AND is_locked \
    AND NOT EXISTS (SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 2 AND granted \
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) \
    AND classid::bigint = hashtext('piton ' || current_schema())::bigint & 4294967295 \
    AND objid::bigint = worker_id & 2147483647)"
);

/// The locks of the workers registered through one store, and what it can tell of others.
#[derive(Debug)]
pub(super) struct Liveness {
    wishes: mpsc::UnboundedSender<Wish>,
    session: JoinHandle<()>,
    /// Before this time free locks mean nothing.
    settled_at: watch::Receiver<Instant>,
}

impl Liveness {
    pub(super) fn new(
        wishes: mpsc::UnboundedSender<Wish>,
        session: JoinHandle<()>,
        settled_at: watch::Receiver<Instant>,
    ) -> Self {
        Self { wishes, session, settled_at }
    }

    /// Takes the lock of a worker that nobody knows of yet; returns whether it is held. Waits for the
    /// session to connect again if its connection has gone: without the lock nothing would ever tell of the
    /// worker's death but its lease.
    pub(super) async fn hold(&self, worker: WorkerId) -> bool {
        loop {
            let (answer, answered) = oneshot::channel();
            if self.wishes.send(Wish::Hold(worker, answer)).is_err() {
                return false;
            }
            if let Ok(is_held) = answered.await {
                return is_held;
            }
        }
    }

    /// Releases a worker's lock, if it is held here.
    pub(super) fn let_go(&self, worker: WorkerId) {
        // If the session has ended, so have its locks.
        let _ = self.wishes.send(Wish::LetGo(worker));
    }

    /// The workers whose locks are free and stay so. Takes a while if there are any.
    pub(super) async fn find_dead(&self, lanes: &Lanes) -> Result<Vec<WorkerId>, sqlx::Error> {
        if *self.settled_at.borrow() > Instant::now() {
            return Ok(Vec::new());
        }
        let suspects = unlocked(lanes).await?;
        if suspects.is_empty() {
            return Ok(suspects);
        }
        tokio::time::sleep(GRACE).await;
        let mut dead = unlocked(lanes).await?;
        dead.retain(|worker| suspects.contains(worker));
        // Whoever lost its own connection in between was looking at a server that restarts.
        if *self.settled_at.borrow() > Instant::now() {
            dead.clear();
        }
        Ok(dead)
    }

    /// Ends the session, and with it all locks.
    pub(super) fn close(&self) {
        self.session.abort();
    }
}

async fn unlocked(lanes: &Lanes) -> Result<Vec<WorkerId>, sqlx::Error> {
    let mut lane = lanes.lane().await?;
    let ids: Vec<i64> = sqlx::query_scalar(UNLOCKED).fetch_all(lane.get()).await?;
    lane.done();
    Ok(ids.into_iter().map(WorkerId).collect())
}

impl Drop for Liveness {
    fn drop(&mut self) {
        self.close();
    }
}
