//! Advisory locks that show which workers are alive.
//!
//! The [session](super::session) holds one lock for each worker registered through the store. The server releases
//! them when the connection ends, which happens at once when the process dies. A stopped process keeps its
//! connection; its lease expires instead.
//!
//! A connection may also break while its process lives. The session then reconnects and takes its locks again. Only
//! a worker whose lock is found free twice, [`GRACE`] apart, counts as dead. A worker that is fenced by mistake
//! loses its runs and nothing else. A server that restarts releases all locks at once, so a process that has lost
//! its own connection calls no worker dead until [others have had time](SETTLE) to take their locks again.

use std::time::Duration;

use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinHandle;
use tokio::time::Instant;

use super::lanes::Lanes;
use super::server::takes_writes;
use super::session::Wish;
use crate::model::WorkerId;

/// How long a lock has to be free. Longer than connecting takes while the server is well, and short compared with
/// the second within which a death should be noticed.
const GRACE: Duration = Duration::from_millis(300);

/// How long other processes may take to reconnect after a restart of the server: two of the longest waits of a
/// [session](super::session), and some time to connect.
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

/// The locks of the workers registered through one store, and the state of others.
#[derive(Debug)]
pub(super) struct Liveness {
    wishes: mpsc::UnboundedSender<Wish>,
    session: JoinHandle<()>,
    /// Before this time, free locks prove nothing.
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

    /// Takes the lock of a worker whose row is not visible yet; returns whether it is held. If the session's
    /// connection is broken, waits for the session to reconnect: without the lock, only the lease would show the
    /// worker's death.
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

    /// The workers whose locks stay free. Takes some time if there are any.
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
        // If this process lost its connection in between, the server may have restarted.
        if *self.settled_at.borrow() > Instant::now() {
            dead.clear();
        }
        Ok(dead)
    }

    /// Ends the session, which releases all locks.
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
