//! Removes runs that have been over for long.
//!
//! Any worker may do so, and the store lets one at a time. A round goes through the runs that are old enough from the
//! first that closed, a batch in a transaction. What keeps a run from being removed is looked at again by the next round.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::sleep;
use tracing::{debug, warn};

use crate::engine::session::Session;
use crate::error::{StoreError, with_causes};
use crate::store::{RemoveClosed, Store};

/// From the end of a round to the next.
const INTERVAL: Duration = Duration::from_secs(60);

/// The most runs in one transaction. On SQLite nobody else writes meanwhile.
const MAX_REMOVED: u32 = 100;

/// Between two batches, so that those who commit come first.
const PAUSE: Duration = Duration::from_millis(20);

/// For how long runs are kept that are over.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Ages {
    /// Those of workflows that are not named; `None` is for ever.
    pub(crate) others: Option<Duration>,
    /// Those of a workflow; `None` is for ever.
    pub(crate) named: BTreeMap<String, Option<Duration>>,
}

/// Removes runs until dropped.
pub(super) async fn run(session: &Arc<Session>) {
    let ages = &session.host.settings.retention;
    if ages.others.is_none() && ages.named.values().all(Option::is_none) {
        return std::future::pending().await;
    }
    loop {
        if let Err(error) = run_once(&*session.store, ages).await {
            warn!(
                worker_id = session.lease().worker_id.0,
                error = %with_causes(&error),
                "old runs could not be removed yet"
            );
        }
        sleep(INTERVAL).await;
    }
}

async fn run_once(store: &dyn Store, ages: &Ages) -> Result<(), StoreError> {
    let mut due = ages.named.clone();
    if let Some(age) = ages.others {
        for workflow in store.closed_workflows().await? {
            due.entry(workflow).or_insert(Some(age));
        }
    }
    for (workflow, age) in due {
        let Some(age) = age else { continue };
        let mut request =
            RemoveClosed { workflow: &workflow, age, after: None, limit: MAX_REMOVED };
        loop {
            let removed = store.remove_closed(request).await?;
            if removed.runs > 0 {
                debug!(workflow, runs = removed.runs, "old runs were removed");
            }
            request.after = removed.next;
            if request.after.is_none() {
                break;
            }
            sleep(PAUSE).await;
        }
    }
    Ok(())
}
