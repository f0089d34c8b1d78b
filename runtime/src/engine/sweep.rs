//! The slow poll, which finds what lost news and lost answers have left behind, and the quicker
//! look for what dead workers have.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::sleep;
use tracing::{info, warn};

use super::blocked::adopt_blocked;
use super::claim::INBOX_PAGE;
use super::driver::Origin;
use super::queues;
use super::session::{Adoption, Session};
use crate::error::StoreError;
use crate::store::{RunEvent, Store};

/// How often to look for workers that have died. With the time that a store takes to be sure and a
/// claim, the runs of a dead worker go on well within a second.
const WATCH_INTERVAL: Duration = Duration::from_millis(300);

/// Looks for dead workers until dropped.
pub(crate) async fn watch_loop(session: &Arc<Session>) {
    loop {
        if let Err(error) = fence_dead_workers(&*session.store).await {
            warn!(%error, "it is not known whether other workers have died");
        }
        sleep(WATCH_INTERVAL.min(session.host.settings.poll_interval)).await;
    }
}

/// Sweeps at every poll interval until dropped.
pub(crate) async fn sweep_loop(session: &Arc<Session>) {
    loop {
        if let Err(error) = sweep_once(session).await {
            warn!(%error, "the sweep could not be completed");
        }
        sleep(session.host.settings.poll_interval).await;
    }
}

/// Each part by itself: fencing may have to wait for whoever is fenced, until the database gives up, and no
/// other part is to be left out for that. Returns the first error.
async fn sweep_once(session: &Arc<Session>) -> Result<(), StoreError> {
    let fenced = fence_expired_workers(&*session.store).await;
    let expired = queues::expire(&*session.store, &session.reports).await;
    let attempts = queues::review(session).await;
    let runs = review(session).await;
    let strays = look_for_strays(session).await;
    let blocked = adopt_blocked(session).await;
    fenced.and(expired).and(attempts).and(runs).and(strays).and(blocked)
}

/// Compares the runs that the worker holds with those that the database says it owns.
async fn review(session: &Arc<Session>) -> Result<(), StoreError> {
    let held = session.runs.list();
    if !held.is_empty() {
        let reviewed = session.store.review_runs(session.lease(), &held).await?;
        reviewed.unread.into_iter().for_each(|id| session.runs.tell(id, RunEvent::Arrival(id)));
        reviewed.lost.into_iter().for_each(|id| session.runs.tell(id, RunEvent::Settled(id)));
    }
    Ok(())
}

/// Drives the runs that this worker owns without knowing, if it is time to look for them.
pub(crate) async fn look_for_strays(session: &Arc<Session>) -> Result<(), StoreError> {
    if let Some(inquiry) = session.strays.look_into() {
        recover_strays(session).await?;
        inquiry.answered();
    }
    Ok(())
}

/// Lets go of the runs of workers that are known to be dead.
pub(crate) async fn fence_dead_workers(store: &dyn Store) -> Result<(), StoreError> {
    let dead = store.find_dead_workers().await?;
    if !dead.is_empty() {
        let runs = store.fence_workers(&dead).await?;
        info!(workers = dead.len(), runs, "took the runs of workers that have died");
    }
    Ok(())
}

/// Lets go of the runs of workers whose lease has run out.
pub(crate) async fn fence_expired_workers(store: &dyn Store) -> Result<(), StoreError> {
    let (expired, runs) = store.fence_expired_workers().await?;
    if !expired.is_empty() {
        info!(workers = expired.len(), runs, "took the runs of workers whose lease had run out");
    }
    Ok(())
}

async fn recover_strays(session: &Arc<Session>) -> Result<(), StoreError> {
    let _claiming = session.claiming.lock().await;
    let mut known = session.runs.known();
    loop {
        let heard = session.store.hub().arrivals();
        let strays = session.store.recover_claims(session.lease(), &known, INBOX_PAGE).await?;
        if strays.is_empty() {
            return Ok(());
        }
        for mut run in strays {
            // Whatever its driver had under way, if it had one, was interrupted.
            run.takeovers += 1;
            let Ok(permit) = Arc::clone(&session.capacity).try_acquire_owned() else {
                session.strays.stand();
                return Ok(());
            };
            info!(run_id = %run.run_id, "recovered a run");
            // Known from here on, whatever becomes of it: the next answer has those that did not fit.
            known.push(run.run_id);
            let origin = Origin::Claimed { run, heard };
            Adoption { session: Arc::clone(session), origin, permit, starting: None }.adopt();
        }
    }
}
