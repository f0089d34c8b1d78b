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
    let mut renewed_at = session.registered_at();
    loop {
        sleep(lease / 3).await;
        match renew_once(session, renewed_at).await {
            Some(at) => renewed_at = at,
            None => return,
        }
    }
}

/// Renews the lease that was last asked for at `renewed_at`. Returns when this renewal was asked
/// for, or `None` if the lease is lost.
async fn renew_once(session: &Arc<Session>, renewed_at: Instant) -> Option<Instant> {
    let lease = session.host.settings.lease;
    let deadline = renewed_at + lease - margin(lease);
    let mut backoff = Backoff::default();
    loop {
        let asked_at = Instant::now();
        let renewal = session.store.renew_lease(session.lease(), lease);
        match timeout_at(deadline, renewal).await {
            Ok(Ok(Renewal::Renewed(until))) => {
                session.clock.observe(until - lease, asked_at);
                return Some(asked_at);
            }
            Ok(Ok(Renewal::Fenced)) | Err(_) => return None,
            Ok(Err(error)) => {
                warn!(%error, "the lease could not be renewed yet");
                if timeout_at(deadline, backoff.wait()).await.is_err() {
                    return None;
                }
            }
        }
    }
}

/// How long before its end a lease is given up: room for the two clocks to run apart and for the
/// drivers to stop.
fn margin(lease: Duration) -> Duration {
    lease / 10
}
