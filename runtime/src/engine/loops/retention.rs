//! Deletes runs that have been closed for longer than the retention, and parts of them before.
//!
//! Any worker may do so, and the store lets one at a time delete runs. A round goes through the runs that are old enough
//! from the first that closed, a batch in a transaction. What keeps a run from being removed is looked at again by the
//! next round. Where parts are removed, the runs stay, so a round goes on where the last one has ended; what it has passed
//! over is found by the round that begins anew.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep};
use tracing::{debug, warn};

use crate::engine::session::Session;
use crate::error::{StoreError, with_causes};
use crate::model::{RunId, Timestamp};
use crate::store::{ClosedPart, RemoveClosed, RemovePromises, Store, StripClosed};

/// From the end of a round to the next.
const INTERVAL: Duration = Duration::from_secs(60);

/// How often all runs that are still there are looked through for parts, and all shared promises.
const ANEW: Duration = Duration::from_secs(3_600);

/// The most runs in one transaction. On SQLite nobody else writes meanwhile.
const MAX_REMOVED: u32 = 100;

/// Between two batches, so that those who commit come first.
const PAUSE: Duration = Duration::from_millis(20);

/// For how long something is kept of runs that are over, by their workflow.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Ages {
    /// Those of workflows that are not named; `None` is for ever.
    pub(crate) others: Option<Duration>,
    /// Those of a workflow; `None` is for ever.
    pub(crate) named: BTreeMap<String, Option<Duration>>,
}

/// For how long what is kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Keeping {
    pub(crate) runs: Ages,
    pub(crate) payloads: Ages,
    pub(crate) keys: Ages,
    /// From when they are completed; `None` is for ever.
    pub(crate) shared_promises: Option<Duration>,
    /// From when they have failed; `None` is for as long as [`FAILED_CALLS`].
    pub(crate) failed_calls: Option<Duration>,
}

/// For how long failed calls on queues are kept unless a worker says otherwise.
const FAILED_CALLS: Duration = Duration::from_secs(7 * 86_400);

/// How far the removal of parts has come, by part and workflow.
struct Progress {
    begun_at: Instant,
    last: HashMap<(ClosedPart, String), (Timestamp, RunId)>,
    /// Whether the shared promises were looked through.
    is_promises_done: bool,
}

impl Progress {
    fn new() -> Self {
        Self { begun_at: Instant::now(), last: HashMap::new(), is_promises_done: false }
    }
}

/// Removes runs until dropped.
pub(super) async fn run(session: &Arc<Session>) {
    let keeping = &session.host.settings.retention;
    let mut progress = Progress::new();
    loop {
        if progress.begun_at.elapsed() >= ANEW {
            progress = Progress::new();
        }
        if let Err(error) = run_once(&*session.store, keeping, &mut progress).await {
            warn!(
                worker_id = session.lease().worker_id.0,
                error = %with_causes(&error),
                "what is old could not be removed yet"
            );
        }
        sleep(INTERVAL).await;
    }
}

async fn run_once(
    store: &dyn Store,
    keeping: &Keeping,
    progress: &mut Progress,
) -> Result<(), StoreError> {
    // Whole runs first: of those no parts need be removed.
    for (workflow, age) in due(store, &keeping.runs).await? {
        remove_runs(store, &workflow, age).await?;
    }
    for part in ClosedPart::ALL {
        let ages = match part {
            ClosedPart::Payloads => &keeping.payloads,
            ClosedPart::Keys => &keeping.keys,
        };
        for (workflow, age) in due(store, ages).await? {
            strip_runs(store, part, workflow, age, progress).await?;
        }
    }
    if let Some(age) = keeping.shared_promises.filter(|_| !progress.is_promises_done) {
        remove_promises(store, age).await?;
        progress.is_promises_done = true;
    }
    remove_failed_calls(store, keeping.failed_calls.unwrap_or(FAILED_CALLS)).await
}

/// The workflows of which something may be too old.
async fn due(store: &dyn Store, ages: &Ages) -> Result<Vec<(String, Duration)>, StoreError> {
    let mut due = ages.named.clone();
    if let Some(age) = ages.others {
        for workflow in store.closed_workflows().await? {
            due.entry(workflow).or_insert(Some(age));
        }
    }
    Ok(due.into_iter().filter_map(|(workflow, age)| Some((workflow, age?))).collect())
}

async fn remove_runs(store: &dyn Store, workflow: &str, age: Duration) -> Result<(), StoreError> {
    let mut request = RemoveClosed { workflow, age, after: None, limit: MAX_REMOVED };
    loop {
        let removed = store.remove_closed(request).await?;
        if removed.runs > 0 {
            debug!(workflow, runs = removed.runs, "old runs were removed");
        }
        request.after = removed.next;
        if request.after.is_none() {
            return Ok(());
        }
        sleep(PAUSE).await;
    }
}

async fn strip_runs(
    store: &dyn Store,
    part: ClosedPart,
    workflow: String,
    age: Duration,
    progress: &mut Progress,
) -> Result<(), StoreError> {
    let place = (part, workflow);
    loop {
        let (workflow, after) = (place.1.as_str(), progress.last.get(&place).copied());
        let request = StripClosed { part, workflow, age, after, limit: MAX_REMOVED };
        let stripped = store.strip_closed(request).await?;
        if stripped.runs > 0 {
            debug!(workflow, ?part, runs = stripped.runs, "old runs were stripped");
        }
        if let Some(last) = stripped.last {
            progress.last.insert(place.clone(), last);
        }
        if !stripped.has_more {
            return Ok(());
        }
        sleep(PAUSE).await;
    }
}

async fn remove_failed_calls(store: &dyn Store, age: Duration) -> Result<(), StoreError> {
    loop {
        let removed = store.remove_failed_calls(age, MAX_REMOVED).await?;
        if removed > 0 {
            debug!(calls = removed, "old failed calls were removed");
        }
        if removed < u64::from(MAX_REMOVED) {
            return Ok(());
        }
        sleep(PAUSE).await;
    }
}

async fn remove_promises(store: &dyn Store, age: Duration) -> Result<(), StoreError> {
    let mut after = None;
    loop {
        let request = RemovePromises { age, after: after.as_ref(), limit: MAX_REMOVED };
        let removed = store.remove_shared_promises(request).await?;
        if removed.promises > 0 {
            debug!(promises = removed.promises, "old shared promises were removed");
        }
        after = removed.next;
        if after.is_none() {
            return Ok(());
        }
        sleep(PAUSE).await;
    }
}
