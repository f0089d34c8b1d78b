//! Keeping the lease: renewed at a third of its length, given up before it can run out.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep, timeout_at};
use tracing::warn;

use super::backoff::Backoff;
use super::session::Session;
use crate::store::Renewal;

/// Renews until the lease is lost: the worker has been fenced, or could not renew in time by its
/// own monotonic clock.
pub(crate) async fn keep_lease(session: &Arc<Session>) {
    let lease = session.host.settings.lease;
    loop {
        let slept = Instant::now();
        sleep(lease / 3).await;
        let late = slept.elapsed().saturating_sub(lease / 3);
        if late > lease / 6 {
            warn!(
                ?late,
                "the lease is renewed late: the machine is busy, or something blocks a thread of the \
                 runtime, as an activity does that should be `#[activity(blocking)]`"
            );
        }
        match renew_once(session).await {
            Some(asked_at) => session.note_renewal(asked_at),
            None => return,
        }
    }
}

/// Renews the lease. Returns when the renewal was asked for, or `None` if the lease is lost.
async fn renew_once(session: &Arc<Session>) -> Option<Instant> {
    let lease = session.host.settings.lease;
    let deadline = session.lease_ends_at();
    let mut backoff = Backoff::default();
    loop {
        let asked_at = Instant::now();
        let renewal = session.store.renew_lease(session.lease(), lease);
        match timeout_at(deadline, renewal).await {
            Ok(Ok(Renewal::Renewed(until))) => {
                session.clock.observe(until - lease, asked_at);
                return Some(asked_at);
            }
            Ok(Ok(Renewal::Fenced)) => return None,
            Err(_) => {
                warn!("the lease could not be renewed in time");
                return None;
            }
            Ok(Err(error)) => {
                warn!(%error, "the lease could not be renewed yet");
                if timeout_at(deadline, backoff.wait()).await.is_err() {
                    return None;
                }
            }
        }
    }
}

/// When a lease that was asked for at `asked_at` is given up, on the worker's own clock: before the
/// database lets it run out, with room for the two clocks to run apart and for the drivers to stop.
pub(crate) fn end_of(lease: Duration, asked_at: Instant) -> Instant {
    asked_at + lease - lease / 10
}
