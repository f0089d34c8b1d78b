//! Claims due runs while the worker has room.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep_until};
use tracing::debug;

use crate::engine::backoff::Backoff;
use crate::engine::driver::{INBOX_PAGE, Origin};
use crate::engine::outage::tried_again;
use crate::engine::session::Session;
use crate::engine::strays;
use crate::error::StoreError;
use crate::failpoints;
use crate::model::Timestamp;
use crate::store::ClaimRequest;

/// The maximum number of runs in one claim. A batch of this size takes a few milliseconds, so several workers share
/// a backlog.
const MAX_CLAIM: usize = 200;

/// Claims whenever a run may be due. Returns when the store reports that the worker is fenced.
pub(super) async fn run(session: &Arc<Session>) {
    if session.host.registry.workflow_names().is_empty() {
        // Leave notifications to workers that have room.
        return std::future::pending().await;
    }
    let mut backoff = Backoff::default();
    let mut pace = Pace::new(session.host.settings.max_claim_rate);
    loop {
        match run_once(session, &mut pace).await {
            Ok(Pass { is_full: true, .. }) => backoff = Backoff::default(),
            Ok(Pass { next_due_at, .. }) => {
                backoff = Backoff::default();
                super::wait_until_due(session, session.store.hub().due(), next_due_at).await;
            }
            Err(StoreError::Fenced) => return,
            Err(error) => {
                tried_again!(
                    &error,
                    worker_id = session.lease().worker_id.0,
                    "no runs could be claimed"
                );
                session.strays.note();
                backoff.wait().await;
            }
        }
        if session.capacity.available_permits() == 0 {
            // Another worker of this process may have room for the runs of this notification.
            session.store.hub().announce_due();
        }
        // Wait for room first, since claimed runs must be taken.
        drop(session.capacity.acquire().await);
    }
}

/// Limits claims to the worker's rate.
struct Pace {
    /// Runs per second.
    rate: Option<u32>,
    /// When the rate allows the next claim.
    next_at: Instant,
}

impl Pace {
    /// The fraction of a second's runs in one claim: small, to spread claims evenly.
    const PART: u32 = 20;

    fn new(rate: Option<u32>) -> Self {
        Self { rate, next_at: Instant::now() }
    }

    /// Waits until a claim is allowed. Returns its maximum number of runs. Cancellation safe.
    async fn ready(&self) -> usize {
        let Some(rate) = self.rate else { return usize::MAX };
        sleep_until(self.next_at).await;
        rate.div_ceil(Self::PART) as usize
    }

    fn claimed(&mut self, count: usize) {
        let Some(rate) = self.rate else { return };
        let owed = Duration::from_secs_f64(count as f64 / f64::from(rate));
        self.next_at = self.next_at.max(Instant::now()) + owed;
    }
}

/// The result of a claim.
struct Pass {
    /// Whether there may be more.
    is_full: bool,
    /// When the next run is due.
    next_due_at: Option<Timestamp>,
}

/// Takes the runs that the worker owns without knowing it, which no other worker can take, and then due ones. The
/// sweep alone might never find room for the former, because claims use it up.
async fn run_once(session: &Arc<Session>, pace: &mut Pace) -> Result<Pass, StoreError> {
    if session.strays.stands() {
        strays::look(session).await?;
    }
    claim(session, pace).await
}

async fn claim(session: &Arc<Session>, pace: &mut Pace) -> Result<Pass, StoreError> {
    let most = pace.ready().await;
    let room = session.capacity.available_permits().min(MAX_CLAIM).min(most);
    let permits = Arc::clone(&session.capacity).try_acquire_many_owned(room as u32);
    let Some(mut permits) = permits.ok().filter(|_| room > 0) else {
        return Ok(Pass { is_full: true, next_due_at: None });
    };
    let _claiming = session.claiming.lock().await;
    let request = ClaimRequest {
        worker: session.lease(),
        workflows: session.host.registry.workflow_names(),
        limit: room as u32,
        inbox_limit: INBOX_PAGE,
    };
    let heard = session.store.hub().arrivals();
    let asked_at = Instant::now();
    let claimed = session.store.claim_runs(request).await?;
    let count = claimed.runs.len();
    if count > 0 {
        failpoints::hit("after_claim");
    }
    session.clock.observe(claimed.now, asked_at);
    pace.claimed(count);
    for run in claimed.runs {
        let Some(permit) = permits.split(1) else { break };
        session.drive(Origin::Claimed { run, heard }, permit);
    }
    if count > 0 {
        debug!(runs = count, "claimed");
    }
    Ok(Pass { is_full: count == room, next_due_at: claimed.next_due_at })
}
