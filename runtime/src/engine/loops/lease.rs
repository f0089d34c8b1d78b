//! Renews the lease at a third of its length, and gives it up before it can expire.
//!
//! If the store allows it, a [separate thread](crate::engine::keeper) renews the lease, so an activity or a step
//! that blocks all threads of the worker's runtime does not cost the worker its runs. Another worker would be
//! blocked by that step as well. But the thread would also renew the lease of a worker that never makes progress
//! again. So [`run`] counts its rounds on the worker's runtime, and the thread stops renewing if the count has not
//! changed for [`max_standstill`](crate::worker::Worker::max_standstill).

use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout_at};
use tracing::{error, info, warn};

use crate::engine::backoff::Backoff;
use crate::engine::keeper;
use crate::engine::outage::{self, tried_again};
use crate::engine::phase::Phase;
use crate::engine::session::Session;
use crate::store::Renewal;

/// Returns when the lease is lost: the worker was fenced, could not renew in time by its own monotonic clock, or
/// has made no progress for too long. Dropping this ends all renewals.
pub(crate) async fn run(session: &Arc<Session>) {
    let apart = session.store.renews_apart().then(keeper::runtime).flatten();
    let Some(keeper) = apart else { return renew_here(session).await };
    let mut kept = Kept(keeper.spawn(renew_apart(Arc::clone(session))));
    loop {
        session.note_move();
        tokio::select! {
            biased;
            // However it ends, renewals stop.
            _ = &mut kept.0 => return,
            // Twice per round of the keeper, so that each of its rounds sees progress.
            () = sleep(session.host.settings.intervals.lease / 6) => {}
        }
    }
}

/// A renewal on the keeper's thread, which ends when this is dropped.
struct Kept(JoinHandle<()>);

impl Drop for Kept {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Renews on the worker's runtime.
async fn renew_here(session: &Session) {
    const WHY: &str = "the machine is busy, or something blocks a thread of the runtime, as an activity \
        does that should be `#[activity(blocking)]`";
    loop {
        next_round(session, WHY).await;
        if !run_once(session).await {
            return;
        }
    }
}

/// Renews on the keeper's runtime while the worker makes progress.
async fn renew_apart(session: Arc<Session>) {
    const WHY: &str = "the machine is busy, or the process has stood still";
    let mut watch = Watch { moves: session.moves(), standstill: Duration::ZERO };
    loop {
        next_round(&session, WHY).await;
        // A worker that is stuck in its shutdown is fenced; its runtime may never notice.
        let is_over = session.phases().now() == Phase::Lost;
        if is_over || !watch.goes_on(&session) || !run_once(&session).await {
            // At once, before the worker's own threads notice.
            return session.lose();
        }
    }
}

/// Waits until the next renewal.
async fn next_round(session: &Session, why_late: &str) {
    let round = session.host.settings.intervals.lease / 3;
    let slept = Instant::now();
    sleep(round).await;
    let late = slept.elapsed().saturating_sub(round);
    if late > round / 2 {
        warn!(
            worker_id = session.lease().worker_id.0,
            ?late,
            "the lease is renewed late: {why_late}"
        );
    }
}

/// Checks whether a worker makes progress.
struct Watch {
    /// The worker's count at the last check.
    moves: u64,
    /// How long the count has not changed. Counted in rounds, so the time during which the whole process was
    /// stopped does not count.
    standstill: Duration,
}

impl Watch {
    /// Whether to renew the lease.
    fn goes_on(&mut self, session: &Session) -> bool {
        let settings = &session.host.settings;
        let (before, moves) = (self.moves, session.moves());
        self.moves = moves;
        if moves != before {
            if !self.standstill.is_zero() {
                info!(after = ?self.standstill, "the worker moves again");
            }
            self.standstill = Duration::ZERO;
            return true;
        }
        if self.standstill.is_zero() {
            warn!(
                worker_id = session.lease().worker_id.0,
                "the worker stands still: something blocks the threads of its runtime, as an activity \
                 does that should be `#[activity(blocking)]`"
            );
        }
        self.standstill += settings.intervals.lease / 3;
        let goes_on = self.standstill <= settings.max_standstill.max(settings.intervals.lease);
        if !goes_on {
            error!(
                standstill = ?self.standstill,
                worker_id = session.lease().worker_id.0,
                "the worker has stood still for too long, and gives up its lease and its runs"
            );
        }
        goes_on
    }
}

/// Renews the lease. Returns whether it is still valid.
async fn run_once(session: &Session) -> bool {
    let lease = session.host.settings.intervals.lease;
    let deadline = session.lease_ends_at();
    let mut backoff = Backoff::default();
    loop {
        let asked_at = Instant::now();
        let renewal = session.store.renew_lease(session.lease(), lease);
        match timeout_at(deadline, renewal).await {
            Ok(Ok(Renewal::Renewed(until))) => {
                outage::answered();
                session.clock.observe(until - lease, asked_at);
                session.note_renewal(asked_at);
                return true;
            }
            Ok(Ok(Renewal::Fenced)) => return false,
            Err(_) => {
                warn!(
                    worker_id = session.lease().worker_id.0,
                    "the lease could not be renewed in time"
                );
                return false;
            }
            Ok(Err(error)) => {
                tried_again!(
                    &error,
                    worker_id = session.lease().worker_id.0,
                    "the lease could not be renewed yet"
                );
                if timeout_at(deadline, backoff.wait()).await.is_err() {
                    return false;
                }
            }
        }
    }
}

/// When a lease that was requested at `asked_at` is given up, by the worker's own clock: earlier than it expires in
/// the database, by a margin for clock drift and for stopping the drivers.
pub(crate) fn end_of(lease: Duration, asked_at: Instant) -> Instant {
    asked_at + lease - lease / 10
}
