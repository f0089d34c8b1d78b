//! Runs that are over are removed after a while.

use std::time::Duration;

use async_trait::async_trait;

use crate::error::StoreError;
use crate::model::{RunId, Timestamp};

/// Removes what has been over for long.
///
/// What holds for all methods is said at [`Store`](super::Store).
#[async_trait]
pub trait Retention: Send + Sync {
    /// The workflows that have runs which are over, in the order of their names. Takes as long as there are workflows,
    /// however many runs they have. Locks nothing.
    async fn closed_workflows(&self) -> Result<Vec<String>, StoreError>;

    /// Removes runs of a workflow that have been over for some time, with their rows, as
    /// [`RunChange::Delete`](crate::store::RunChange::Delete) does and without audit entries: those that closed first,
    /// in one transaction. Left where they are, and looked at, are runs whose messages are still in the outbox and
    /// children whose parents are open, which may yet ask what they came to.
    ///
    /// Asking in vain writes and locks nothing. One call at a time removes runs; another one that is made meanwhile may
    /// find nothing. Locks the runs, but skips those that somebody else has locked, then their other rows.
    async fn remove_closed(&self, request: RemoveClosed<'_>) -> Result<Removed, StoreError>;
}

/// Which runs are to be removed.
#[derive(Clone, Copy, Debug)]
pub struct RemoveClosed<'a> {
    /// Those of this workflow.
    pub workflow: &'a str,
    /// For how long they must have been over, by the database's clock.
    pub age: Duration,
    /// Where to go on: behind the run that closed then.
    pub after: Option<(Timestamp, RunId)>,
    /// How many are looked at, at most.
    pub limit: u32,
}

/// What a call has removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Removed {
    /// How many runs.
    pub runs: u64,
    /// Where another call goes on; `None` if there are no more.
    pub next: Option<(Timestamp, RunId)>,
}
