//! What is agreed on runs beside their arguments: whose workflow id may be used again, how long they may take, and
//! what follows them.

use async_trait::async_trait;

use crate::error::StoreError;
use crate::model::{Payload, RunId, RunStatus, Terms, Timestamp};
use crate::store::{NewRun, StartOutcome, Successor};

/// Starts with policies, and timeouts.
///
/// What holds for all methods is said at [`Store`](super::Store). A run with terms has a row of them, written with the
/// run; the terms of a run never change, but when something is to be done about its timeouts does.
#[async_trait]
pub trait Lifecycle: Send + Sync {
    /// Starts a run as [`start_runs`](super::Runs::start_runs) does, if the policy allows it. [`NewRun::owner`] does not
    /// matter: nobody owns the run.
    ///
    /// Guards: there is no run with its run id, or else [`StartOutcome::Repeated`]; then no open run has its workflow id,
    /// or else [`StartOutcome::IdTaken`], unless the policy [ends](IdPolicy::ends_open) that; then the policy allows
    /// another run after the last of the workflow id, or else [`StartOutcome::IdUsed`], with nothing ended. Of several at
    /// the same moment one is the first. Locks the run that it ends, and then what keeps two starts of one id apart.
    async fn start_by_policy(
        &self,
        run: NewRun,
        policy: IdPolicy,
    ) -> Result<StartOutcome, StoreError>;

    /// The terms of a run, if it has some. Locks nothing.
    async fn find_terms(&self, run_id: RunId) -> Result<Option<Terms>, StoreError>;

    /// Open runs whose deadlines are over, the longest first, at most `limit`, with `after` those behind it. Deadlines of runs that are over are forgotten. If nothing is due, nothing is written or locked.
    async fn find_expired(
        &self,
        after: Option<(Timestamp, RunId)>,
        limit: u32,
    ) -> Result<Expired, StoreError>;

    /// Moves the deadline of a run. Returns whether it was the one given.
    async fn defer_deadline(
        &self,
        run_id: RunId,
        from: Timestamp,
        to: Timestamp,
    ) -> Result<bool, StoreError>;

    /// Closes an open run as timed out, whoever owns it, and starts the run that follows it, with what a commit would
    /// [leave to it](Successor). Otherwise as [`terminate_run`](super::Runs::terminate_run). Returns whether it did.
    ///
    /// Guard: the run is open and its deadline the one given, once it is locked.
    async fn expire_run(&self, expiry: ExpireRun) -> Result<bool, StoreError>;
}

/// Which runs of a workflow id may follow each other, beside the rule that no two are open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IdPolicy {
    /// After which runs another may be started.
    pub reuse: IdReuse,
    /// Whether an open run is terminated to make room.
    pub ends_open: bool,
}

impl IdPolicy {
    /// What the run is told that is ended.
    pub const REASON: &'static str = "another run with its workflow id was started in its place";
}

/// After which runs a workflow id may be used again. The last run that had it counts, for as long as it is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum IdReuse {
    /// After any.
    #[default]
    Allow,
    /// After one that has not completed: that has failed, timed out, or was cancelled or terminated.
    AfterFailure,
    /// After none.
    Reject,
}

impl IdReuse {
    /// Whether another run may follow one that has ended so.
    pub fn allows_after(self, status: RunStatus) -> bool {
        match self {
            Self::Allow => true,
            Self::AfterFailure => status != RunStatus::Completed,
            Self::Reject => false,
        }
    }
}

/// Runs whose deadlines are over.
#[derive(Clone, Debug)]
pub struct Expired {
    /// The runs.
    pub runs: Vec<ExpiredRun>,
    /// Whether there may be more behind them.
    pub has_more: bool,
}

/// A run whose deadline is over.
#[derive(Clone, Debug, PartialEq)]
pub struct ExpiredRun {
    /// The run.
    pub run_id: RunId,
    /// Its business key.
    pub workflow_id: String,
    /// The workflow's stored name.
    pub workflow: String,
    /// What it was started with.
    pub arguments: Option<Payload>,
    /// Its terms.
    pub terms: Terms,
    /// The deadline.
    pub deadline_at: Timestamp,
    /// When it was found, by the database's clock.
    pub found_at: Timestamp,
}

/// A run to be closed because its timeout is over.
#[derive(Clone, Debug, PartialEq)]
pub struct ExpireRun {
    /// The run.
    pub run_id: RunId,
    /// Its deadline, as it was found.
    pub deadline_at: Timestamp,
    /// Which timeout, for people.
    pub reason: String,
    /// The run that follows.
    pub successor: Option<Box<Successor>>,
}
