//! Deleting runs that have been closed for some time, or parts of them.

use std::time::Duration;

use async_trait::async_trait;

use crate::error::StoreError;
use crate::model::{PromiseKey, RunId, Timestamp};

/// Removes old closed runs and their data.
///
/// The rules common to all methods are documented at [`Store`](super::Store).
#[async_trait]
pub trait Retention: Send + Sync {
    /// The workflows that have closed runs, ordered by name. The cost depends on the number of workflows, not on
    /// that of their runs. Locks nothing.
    async fn closed_workflows(&self) -> Result<Vec<String>, StoreError>;

    /// Removes runs of a workflow that have been closed for `age`, with their rows, the first closed first, in one
    /// transaction. Works like [`RunChange::Delete`](crate::store::RunChange::Delete), without audit entries. Keeps
    /// runs whose messages are still in the outbox, and children whose parents are open, since these may still ask
    /// for the result. The runs kept count toward `limit`.
    ///
    /// A call that finds nothing writes and locks nothing. One call at a time removes runs; a concurrent one may
    /// find nothing. Locks the runs, skipping those that are locked, then their other rows.
    async fn remove_closed(&self, request: RemoveClosed<'_>) -> Result<Removed, StoreError>;

    /// Removes a part of the data of runs that have been closed for `age`, but not their rows: the first closed
    /// first, in one transaction. Keeps the payloads of children whose parents are open, since these may still ask
    /// for them.
    ///
    /// Guard: a run is still closed when the part is removed. A call that finds nothing writes and locks nothing.
    /// Locks the runs, skipping those that are locked, then their other rows.
    async fn strip_closed(&self, request: StripClosed<'_>) -> Result<Stripped, StoreError>;

    /// Removes shared promises that were completed some time ago and that no run waits for, ordered by name, in one
    /// transaction. A call that finds nothing writes and locks nothing.
    async fn remove_shared_promises(
        &self,
        request: RemovePromises<'_>,
    ) -> Result<RemovedPromises, StoreError>;
}

/// A part of the data of a closed run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ClosedPart {
    /// The arguments, the result, the rest of the state, and past states.
    Payloads,
    /// The keys that detect repeated arrivals, and the answers to updates.
    Keys,
}

impl ClosedPart {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Payloads, Self::Keys];
}

/// A request to remove a part of runs.
#[derive(Clone, Copy, Debug)]
pub struct StripClosed<'a> {
    /// The part.
    pub part: ClosedPart,
    /// The workflow of the runs.
    pub workflow: &'a str,
    /// How long they must have been closed, by the database's clock.
    pub age: Duration,
    /// Continues after the run that closed at this time.
    pub after: Option<(Timestamp, RunId)>,
    /// The maximum number of runs to look at.
    pub limit: u32,
}

/// The result of [`Retention::strip_closed`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stripped {
    /// Number of runs that had the part.
    pub runs: u64,
    /// The last run that was examined.
    pub last: Option<(Timestamp, RunId)>,
    /// Whether there may be more after it.
    pub has_more: bool,
}

/// A request to remove shared promises.
#[derive(Clone, Copy, Debug)]
pub struct RemovePromises<'a> {
    /// How long ago they must have been completed, by the database's clock.
    pub age: Duration,
    /// Continues after this promise.
    pub after: Option<&'a PromiseKey>,
    /// The maximum number of promises to look at.
    pub limit: u32,
}

/// The result of [`Retention::remove_shared_promises`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RemovedPromises {
    /// Number of promises removed.
    pub promises: u64,
    /// Where to continue; `None` if there are no more.
    pub next: Option<PromiseKey>,
}

/// A request to remove runs.
#[derive(Clone, Copy, Debug)]
pub struct RemoveClosed<'a> {
    /// The workflow of the runs.
    pub workflow: &'a str,
    /// How long they must have been closed, by the database's clock.
    pub age: Duration,
    /// Continues after the run that closed at this time.
    pub after: Option<(Timestamp, RunId)>,
    /// The maximum number of runs to look at.
    pub limit: u32,
}

/// The result of [`Retention::remove_closed`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Removed {
    /// Number of runs removed.
    pub runs: u64,
    /// Where to continue; `None` if there are no more.
    pub next: Option<(Timestamp, RunId)>,
}
