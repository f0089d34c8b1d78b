//! Deleting runs that have been closed for long, and parts of them.

use std::time::Duration;

use async_trait::async_trait;

use crate::error::StoreError;
use crate::model::{PromiseKey, RunId, Timestamp};

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

    /// Removes a part of what is kept of runs of a workflow that have been over for some time, and leaves their rows: those
    /// that closed first, in one transaction. The payloads of children whose parents are open are left, since they may yet
    /// ask for them.
    ///
    /// Guard: a run is still closed when its part is removed. Asking in vain writes and locks nothing. Locks the runs, but
    /// skips those that somebody else has locked, then their other rows.
    async fn strip_closed(&self, request: StripClosed<'_>) -> Result<Stripped, StoreError>;

    /// Removes shared promises that were completed some time ago and that nobody waits for, in the order of their names, in
    /// one transaction. Asking in vain writes and locks nothing.
    async fn remove_shared_promises(
        &self,
        request: RemovePromises<'_>,
    ) -> Result<RemovedPromises, StoreError>;
}

/// A part of what is kept of a run that is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ClosedPart {
    /// The arguments, the result, what is left of the state, and past states.
    Payloads,
    /// The keys by which repeated arrivals are known, and the answers to updates.
    Keys,
}

impl ClosedPart {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Payloads, Self::Keys];
}

/// Of which runs a part is to be removed.
#[derive(Clone, Copy, Debug)]
pub struct StripClosed<'a> {
    /// The part.
    pub part: ClosedPart,
    /// Those of this workflow.
    pub workflow: &'a str,
    /// For how long they must have been over, by the database's clock.
    pub age: Duration,
    /// Where to go on: behind the run that closed then.
    pub after: Option<(Timestamp, RunId)>,
    /// How many are looked at, at most.
    pub limit: u32,
}

/// What a call has removed parts of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stripped {
    /// How many runs had the part.
    pub runs: u64,
    /// The last run that was looked at.
    pub last: Option<(Timestamp, RunId)>,
    /// Whether there may be more behind it.
    pub has_more: bool,
}

/// Which shared promises are to be removed.
#[derive(Clone, Copy, Debug)]
pub struct RemovePromises<'a> {
    /// How long ago they must have been completed, by the database's clock.
    pub age: Duration,
    /// Where to go on: behind this one.
    pub after: Option<&'a PromiseKey>,
    /// How many are looked at, at most.
    pub limit: u32,
}

/// What a call has removed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RemovedPromises {
    /// How many promises.
    pub promises: u64,
    /// Where another call goes on; `None` if there are no more.
    pub next: Option<PromiseKey>,
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
