//! Makes schedules due whose next time was moved by other time zone data.
//!
//! The time at which a schedule is due next was computed by some worker, with the time zone data of its build. A worker
//! of another build compares these times with its own data and makes a schedule due now if they differ; the round of
//! [`schedules`](super::schedules) that claims it computes the time anew and records the change. Rounds are repeated,
//! because workers of an older build may still be running when this one starts.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::sleep;
use tracing::info;

use super::schedules::Turn;
use crate::engine::backoff::Backoff;
use crate::engine::outage::tried_again;
use crate::engine::session::Session;
use crate::error::StoreError;
use crate::schedules::NO_WORKFLOW;
use crate::store::SaveSchedule;

/// The time between two rounds.
const INTERVAL: Duration = Duration::from_secs(3_600);

/// The maximum number of schedules that are read at a time.
const PAGE: u32 = 500;

/// Looks at all schedules of this worker's workflows until dropped.
pub(super) async fn run(session: &Arc<Session>) {
    if session.host.registry.workflow_names().is_empty() {
        return std::future::pending().await;
    }
    let mut backoff = Backoff::default();
    loop {
        match run_once(session).await {
            Ok(()) => {
                backoff = Backoff::default();
                sleep(INTERVAL).await;
            }
            Err(error) => {
                tried_again!(
                    &error,
                    worker_id = session.lease().worker_id.0,
                    "the times of schedules are not compared with the time zone data"
                );
                backoff.wait().await;
            }
        }
    }
}

async fn run_once(session: &Session) -> Result<(), StoreError> {
    let store = &*session.store;
    let serves = |workflow: &str| {
        workflow == NO_WORKFLOW || session.host.registry.workflow(workflow).is_some()
    };
    let mut after = None;
    loop {
        let page = store.list_schedules(None, after.as_deref(), PAGE).await?;
        let Some(last) = page.last() else { return Ok(()) };
        after = Some(last.id.clone());
        let served = page.into_iter().filter(|record| serves(&record.workflow));
        let is_moved = |turn: &Turn| turn.state.moved(&turn.times, turn.identity()).is_some();
        let moved: Vec<Turn> = served.filter_map(Turn::of).filter(is_moved).collect();
        if moved.is_empty() {
            continue;
        }
        info!(schedules = moved.len(), "other time zone data have moved the times of schedules");
        let now = store.now().await?;
        let due = |turn: Turn| SaveSchedule {
            id: turn.record.id,
            token: turn.record.token,
            version: turn.record.version,
            state: turn.record.state,
            due_at: Some(now),
            change: None,
            log: Vec::new(),
        };
        // A schedule that was written meanwhile was computed anew, or will be by the next round.
        store.save_schedules(moved.into_iter().map(due).collect()).await?;
    }
}
