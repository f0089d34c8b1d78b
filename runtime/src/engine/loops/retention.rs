//! Deletes runs that have been closed for longer than the retention, and before that, parts of their data.
//!
//! Any worker may do this; the store lets one at a time delete runs. A round processes old runs in the order of their
//! closing, one batch per transaction. Runs that cannot be removed yet are tried again in the next round. Where only
//! parts are removed, the rows stay, so a round continues where the previous one ended, and skipped runs are found when
//! the rounds start over.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep};
use tracing::debug;

use crate::engine::outage::tried_again;
use crate::engine::session::Session;
use crate::error::StoreError;
use crate::model::{RunId, Timestamp};
use crate::store::{ClosedPart, RemoveClosed, RemovePromises, Store, StripClosed};

/// The time between two rounds.
const INTERVAL: Duration = Duration::from_secs(60);

/// How often the rounds for parts and for shared promises start over.
const ANEW: Duration = Duration::from_secs(3_600);

/// The maximum number of runs in one transaction. On SQLite it blocks all other writers.
const MAX_REMOVED: u32 = 100;

/// The pause between two batches, which lets commits go first.
const PAUSE: Duration = Duration::from_millis(20);

/// How long the data of closed runs is kept, by workflow.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Ages {
    /// For workflows without an entry; `None` means forever.
    pub(crate) others: Option<Duration>,
    /// For named workflows; `None` means forever.
    pub(crate) named: BTreeMap<String, Option<Duration>>,
}

/// How long each kind of data is kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Keeping {
    pub(crate) runs: Ages,
    pub(crate) payloads: Ages,
    pub(crate) keys: Ages,
    /// Counted from the completion; `None` means forever.
    pub(crate) shared_promises: Option<Duration>,
    /// From when they have failed; `None` is for as long as [`FAILED_CALLS`].
    pub(crate) failed_calls: Option<Duration>,
}

/// For how long failed calls on queues are kept unless a worker says otherwise.
const FAILED_CALLS: Duration = Duration::from_secs(7 * 86_400);

/// The progress of the removal of parts, by part and workflow.
struct Progress {
    begun_at: Instant,
    last: HashMap<(ClosedPart, String), (Timestamp, RunId)>,
    /// Whether the shared promises of this round are done.
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
            tried_again!(
                &error,
                worker_id = session.lease().worker_id.0,
                "old runs and their data could not be removed yet"
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
    // Whole runs first: their parts need not be removed.
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

/// The workflows whose data may be too old.
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
