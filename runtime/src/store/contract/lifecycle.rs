//! The terms of a run: policies of workflow ids, timeouts, and the runs that follow it.

use async_trait::async_trait;

use crate::error::StoreError;
use crate::model::{Payload, RunId, RunStatus, Terms, Timestamp};
use crate::store::{NewRun, StartOutcome, Successor};

/// Starts with policies, and timeouts.
///
/// The rules common to all methods are documented at [`Store`](super::Store). A run with terms has a row for them,
/// written when it starts. The terms of a run never change; only its next deadline does.
#[async_trait]
pub trait Lifecycle: Send + Sync {
    /// Starts a run as [`start_runs`](super::Runs::start_runs) does, if the policy allows it. Ignores
    /// [`NewRun::owner`]: nobody owns the run.
    ///
    /// Guards: no run has its run id, otherwise the outcome is [`StartOutcome::Repeated`]; no open run has its
    /// workflow id, otherwise [`StartOutcome::IdTaken`], unless the policy [terminates](IdPolicy::ends_open) that
    /// run; the policy allows another run after the last one of the workflow id, otherwise
    /// [`StartOutcome::IdUsed`], and no run is terminated. Of concurrent starts, one is first. Locks the run that
    /// it terminates, then the index that keeps workflow ids unique.
    async fn start_by_policy(
        &self,
        run: NewRun,
        policy: IdPolicy,
    ) -> Result<StartOutcome, StoreError>;

    /// The terms of a run, if it has any. Locks nothing.
    async fn find_terms(&self, run_id: RunId) -> Result<Option<Terms>, StoreError>;

    /// Open runs whose deadlines have passed, the longest overdue first, at most `limit`; with `after`, only those
    /// after it. Removes the deadlines of closed runs. If nothing is due, nothing is written or locked.
    async fn find_expired(
        &self,
        after: Option<(Timestamp, RunId)>,
        limit: u32,
    ) -> Result<Expired, StoreError>;

    /// Moves the deadline of a run. Returns whether the run had the given deadline.
    async fn defer_deadline(
        &self,
        run_id: RunId,
        from: Timestamp,
        to: Timestamp,
    ) -> Result<bool, StoreError>;

    /// Closes an open run as timed out, whoever owns it, and starts its successor with everything that a commit
    /// would [pass on](Successor). Otherwise it works like [`terminate_run`](super::Runs::terminate_run). Returns
    /// whether it closed the run.
    ///
    /// Guard: once it is locked, the run is open and its deadline is the given one.
    async fn expire_run(&self, expiry: ExpireRun) -> Result<bool, StoreError>;
}

/// Which runs of one workflow id may follow each other. No two may be open at the same time under any policy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IdPolicy {
    /// After which runs another may be started.
    pub reuse: IdReuse,
    /// Whether to terminate an open run that has the workflow id.
    pub ends_open: bool,
}

impl IdPolicy {
    /// The reason given to the terminated run.
    pub const REASON: &'static str = "another run with its workflow id was started in its place";
}

/// After which runs a workflow id may be used again. The policy looks at the last run with the id, while it is
/// stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum IdReuse {
    /// After any.
    #[default]
    Allow,
    /// After a run that failed, timed out, or was cancelled or terminated.
    AfterFailure,
    /// After none.
    Reject,
}

impl IdReuse {
    /// Whether another run may follow one with this status.
    pub fn allows_after(self, status: RunStatus) -> bool {
        match self {
            Self::Allow => true,
            Self::AfterFailure => status != RunStatus::Completed,
            Self::Reject => false,
        }
    }
}

/// Runs whose deadlines have passed.
#[derive(Clone, Debug, Default)]
pub struct Expired {
    /// The runs.
    pub runs: Vec<ExpiredRun>,
    /// Runs whose terms this build cannot read, each with the reason, for people.
    pub unreadable: Vec<(RunId, String)>,
    /// The position of the last one of all that were read.
    pub last: Option<(Timestamp, RunId)>,
    /// Whether there may be more.
    pub has_more: bool,
}

/// A run whose deadline has passed.
#[derive(Clone, Debug, PartialEq)]
pub struct ExpiredRun {
    /// The run.
    pub run_id: RunId,
    /// Its business key.
    pub workflow_id: String,
    /// The workflow's stored name.
    pub workflow: String,
    /// Its arguments.
    pub arguments: Option<Payload>,
    /// Its terms.
    pub terms: Terms,
    /// The deadline.
    pub deadline_at: Timestamp,
    /// The database's clock when the run was found.
    pub found_at: Timestamp,
}

/// A run to close because its timeout has passed.
#[derive(Clone, Debug, PartialEq)]
pub struct ExpireRun {
    /// The run.
    pub run_id: RunId,
    /// Its deadline when it was found.
    pub deadline_at: Timestamp,
    /// Which timeout, for people.
    pub reason: String,
    /// The run that follows.
    pub successor: Option<Box<Successor>>,
}
