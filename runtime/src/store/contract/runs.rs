//! Runs: starting, owning, stepping and closing them.

use std::borrow::Cow;

use async_trait::async_trait;

use crate::error::StoreError;
use crate::model::{
    AttributeMap, BlockedReason, DefinitionHash, Link, Memo, Payload, RunId, RunStatus, StepNo,
    Terms, Timestamp, recorded,
};
use crate::store::{
    ChangeOutcome, ChangeRun, EditOutcome, EditRun, Effect, Ending, FirstArrival, Inbox,
    WorkerLease,
};

/// The life of a run: starts, claims, commits, ends, and changes by operators.
///
/// The rules common to all methods are documented at [`Store`](super::Store).
#[async_trait]
pub trait Runs: Send + Sync {
    /// Inserts runs, each independently: a refused one does not stop the others. Returns outcomes in the order of
    /// `runs`; of several with one workflow id, the first is started. A run's first arrival and its dedup key are
    /// stored before the run becomes visible.
    ///
    /// Guards, for each run: no run has its run id, otherwise the outcome is [`StartOutcome::Repeated`], so a
    /// caller that has lost a response can call again, even after the run has closed; no open run has its workflow
    /// id, otherwise [`StartOutcome::IdTaken`]. The run gets its owner only if the owner's lease is valid;
    /// otherwise the run is due at its time, and [owned](StartOutcome::Started::owned) is `false`. Locks the
    /// owners' rows in their order, then a unique index on workflow ids: of two concurrent starts of one id, the
    /// second waits for the outcome of the first.
    async fn start_runs(&self, runs: Vec<NewRun>) -> Result<Vec<StartOutcome>, StoreError>;

    /// Assigns due runs to a worker, the longest due first, as many as fit in one response with their snapshots.
    /// The arrivals that come with them have a limit of their own. A claim that finds nothing writes nothing. A
    /// claim may return fewer runs than are due, because other workers claim them or the response is full;
    /// `next_due_at` then says that the next one is already due.
    ///
    /// Guards: the lease is valid, and each run is still due and unowned once it is locked. Locks the worker's row,
    /// then the runs in the order of their due times, skipping those that are locked, so claims do not wait for
    /// each other.
    ///
    /// # Errors
    /// [`StoreError::Fenced`] if the worker's lease is not valid.
    async fn claim_runs(&self, request: ClaimRequest<'_>) -> Result<Claimed, StoreError>;

    /// The runs that `worker` owns and that are not in `held`, in the form of a claim. They come from a claim or a
    /// start whose response was lost. Returns as many as fit in one response; to get the rest, call again with
    /// these in `held`. Writes and locks nothing, since no other worker can take the runs while the lease is valid.
    ///
    /// # Errors
    /// [`StoreError::Fenced`] if the worker's lease is not valid.
    async fn recover_claims(
        &self,
        worker: WorkerLease,
        held: &[RunId],
        inbox_limit: u32,
    ) -> Result<Vec<ClaimedRun>, StoreError>;

    /// Compares the runs that `worker` owns with those that it knows of, each with the number of the last arrival that
    /// it has read. This slow poll finds changes whose notification was lost. The lease need not be valid: a fenced
    /// worker owns nothing. Locks nothing.
    async fn review_runs(
        &self,
        worker: WorkerLease,
        held: &[(RunId, i64)],
    ) -> Result<ReviewedRuns, StoreError>;

    /// Commits steps of runs that `worker` owns. Each step has its own guard and is written entirely or not at all:
    /// the run's row, the arrivals it has consumed, its effects. Returns outcomes in the order of `steps`. No two
    /// steps may belong to the same run.
    ///
    /// Guards: the worker's lease is valid; the run's row names the worker with this epoch and has the expected
    /// `step_no`. Otherwise the outcome is [`CommitOutcome::Lost`]. So is a repetition of a committed step, because
    /// `step_no` has changed. A run that parks with unread arrivals is due at once. Locks the worker's row, then
    /// the runs, then their other rows. Stores may use several transactions, but never split a step.
    ///
    /// # Errors
    /// [`StoreError::Fenced`] if the worker's lease is not valid and no step was committed.
    async fn commit_steps(
        &self,
        worker: WorkerLease,
        steps: &[&CommitStep],
    ) -> Result<Vec<CommitOutcome>, StoreError>;

    /// How many concurrent calls of [`Self::commit_steps`] write the most. 1 by default, which suits a database
    /// with one writer.
    fn commit_lanes(&self) -> usize {
        1
    }

    /// Returns once every transaction that wrote to this run and whose commit was requested before has ended; its
    /// result can be read then. Waits for the run's lock and releases it at once. Writes nothing. If there is no
    /// such run, returns at once. By default it does not wait, which suits a store with one writer.
    async fn settle_run(&self, _run_id: RunId) -> Result<(), StoreError> {
        Ok(())
    }

    /// Closes an open run as terminated, whoever owns it. Deletes its queued activities and the arrivals in its inbox
    /// other than signals, and keeps its dedup keys. If other runs depend on its end, puts a message to them into the
    /// outbox. Returns whether the run is terminated with this reason, by this call or an earlier one, so a caller
    /// that has lost a response can call again. Returns `false` if there is no such run.
    ///
    /// Guard: the run is open once it is locked. Locks its row, then its activities, and no worker: the owner finds
    /// out at its next commit, whose guard fails.
    async fn terminate_run(&self, run_id: RunId, reason: &str) -> Result<bool, StoreError>;

    /// Unblocks runs of these workflows, or only `run_id`, whatever its workflow, and makes them due at once. The
    /// reason for the block does not matter, except that runs whose [workers
    /// died](crate::model::BlockedReason::WorkersDied) are unblocked only by `run_id`; their takeovers are then set
    /// to at most 1. Returns the number of runs unblocked; a repeated call counts those that were blocked again
    /// meanwhile.
    ///
    /// Guard: each run is still blocked once it is locked. Locks the runs in their order, and no worker, since a
    /// blocked run has no owner.
    async fn unblock_runs(
        &self,
        workflows: &[&str],
        run_id: Option<RunId>,
    ) -> Result<u64, StoreError>;

    /// Runs of these workflows that are blocked because a build lacked something
    /// ([`is_of_the_build`](crate::model::BlockedReason::is_of_the_build)), ordered by id: at most `limit`, with
    /// `after` only those after it. Runs that are blocked for other reasons do not add to the cost. Locks nothing;
    /// [`Self::adopt_blocked`] checks again that a run is blocked.
    async fn find_blocked(
        &self,
        workflows: &[&str],
        after: Option<RunId>,
        limit: u32,
    ) -> Result<Vec<BlockedRun>, StoreError>;

    /// Unblocks those of `run_ids` that are blocked and assigns them to a worker, in the form of a claim, ordered
    /// by id. No other worker can claim them in between. Skips runs that are not blocked.
    ///
    /// Guards: the lease is valid, and each run is still blocked once it is locked. Locks the worker's row, then
    /// the runs in their order.
    ///
    /// # Errors
    /// [`StoreError::Fenced`] if the worker's lease is not valid.
    async fn adopt_blocked(
        &self,
        worker: WorkerLease,
        run_ids: &[RunId],
        inbox_limit: u32,
    ) -> Result<Vec<ClaimedRun>, StoreError>;

    /// Puts a run without an owner into another state. The run must be parked or blocked or, with
    /// [`EditRun::reopen`], closed without having completed; then it is open again. It is no longer blocked, and
    /// its takeovers are 0. Unless it is paused, it is due at [`EditRun::wake_at`], or at once if its inbox has
    /// arrivals, since the new state may wait for them. The inbox stays, with [`EditRun::arrivals`] appended; a
    /// reopened run begins with an empty one. The audit entry is written in the same transaction.
    ///
    /// If a worker owns the run, the outcome is [`EditOutcome::Busy`]: the worker may be executing the operations
    /// of the state, and nobody who has read the state can know how far. A fenced worker owns no runs. `step_no`
    /// increases by one, so a previous owner and a second edit of the same state both fail their guards. A
    /// repetition of the same edit is [`EditOutcome::Moved`].
    ///
    /// Guards, once the run is locked: it exists; it has no owner; its `step_no` is the one that was read; it is
    /// open, or may be reopened and no open run has its workflow id. The outcome names the first guard that fails;
    /// nothing is written then. Locks the run, then its activities, and no worker, since the run has no owner.
    async fn edit_run(&self, edit: EditRun) -> Result<EditOutcome, StoreError>;

    /// Makes a change that an operator has requested, and writes its audit entry in the same transaction. See
    /// [`RunChange`](crate::store::RunChange). A repetition of a change is [`ChangeOutcome::Unchanged`], and of a
    /// deletion [`ChangeOutcome::Unknown`]; an arrival without a dedup key is delivered again.
    ///
    /// Guards, once the run is locked: it exists; it is open for an arrival or a termination, and closed for a
    /// deletion. Locks the run, then its other rows, and no worker.
    async fn change_run(&self, change: ChangeRun) -> Result<ChangeOutcome, StoreError>;
}

/// A run to start.
#[derive(Clone, Debug, PartialEq)]
pub struct NewRun {
    /// Its id.
    pub run_id: RunId,
    /// The business key; no two open runs share one.
    pub workflow_id: String,
    /// The workflow's stored name.
    pub workflow: String,
    /// The encoded arguments.
    pub arguments: Payload,
    /// The encoded first snapshot, see [`crate::codec`].
    pub snapshot: Vec<u8>,
    /// The name of the first state.
    pub state: String,
    /// The definition that wrote the snapshot.
    pub definition: DefinitionHash,
    /// The worker that owns it from the start; `None` leaves it to claims. Ignored, without an error, if this
    /// worker's lease is not valid.
    pub owner: Option<WorkerLease>,
    /// When it is due if nobody owns it; `None` means at once.
    pub start_at: Option<Timestamp>,
    /// The first arrival in its inbox.
    pub first: Option<FirstArrival>,
    /// Its attributes.
    pub attributes: AttributeMap,
    /// Further data that lists show.
    pub memo: Memo,
    /// Its policies and limits, if it has any.
    pub terms: Option<Box<Terms>>,
}

/// The result of a start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StartOutcome {
    /// The run was started.
    Started {
        /// Whether [`NewRun::owner`] owns it.
        owned: bool,
    },
    /// A run with this run id exists, started by an earlier call with the same request.
    Repeated,
    /// An open run has the same workflow id.
    IdTaken {
        /// That run.
        run_id: RunId,
    },
    /// The last run with the workflow id is closed, and the policy allows no further one.
    IdUsed {
        /// That run.
        run_id: RunId,
    },
}

/// The runs of a worker that need its attention.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReviewedRuns {
    /// Runs that it owns and whose inboxes have arrivals that it has not read.
    pub unread: Vec<RunId>,
    /// Runs that it does not own: they were closed or taken away.
    pub lost: Vec<RunId>,
}

/// Which due runs a worker asks for.
#[derive(Clone, Copy, Debug)]
pub struct ClaimRequest<'a> {
    /// The worker.
    pub worker: WorkerLease,
    /// The workflows it can step.
    pub workflows: &'a [&'a str],
    /// The maximum number of runs.
    pub limit: u32,
    /// The maximum number of arrivals to load with each run.
    pub inbox_limit: u32,
}

/// The result of a claim.
#[derive(Clone, Debug, Default)]
pub struct Claimed {
    /// The runs, now owned by the worker.
    pub runs: Vec<ClaimedRun>,
    /// When the next unowned run of these workflows is due, as far as this claim could see.
    pub next_due_at: Option<Timestamp>,
    /// The database's clock at the claim.
    pub now: Timestamp,
}

/// A run, as given to its new owner.
#[derive(Clone, Debug)]
pub struct ClaimedRun {
    /// The run.
    pub run_id: RunId,
    /// Its business key.
    pub workflow_id: String,
    /// The workflow's stored name.
    pub workflow: String,
    /// Number of its commits.
    pub step_no: StepNo,
    /// The encoded snapshot.
    pub snapshot: Vec<u8>,
    /// How many owners have died with this run since its last commit.
    pub takeovers: u32,
    /// The first unconsumed arrivals. Empty if others must be delivered before them.
    pub inbox: Inbox,
    /// The number of the last arrival in its inbox, consumed or not.
    pub inbox_count: i64,
    /// Whether it has [terms](super::Lifecycle::find_terms).
    pub has_terms: bool,
}

/// One step of one run.
#[derive(Clone, Debug)]
pub struct CommitStep {
    /// The run.
    pub run_id: RunId,
    /// Its `step_no` before this commit.
    pub expected: StepNo,
    /// The new state of the run.
    pub disposition: Disposition,
    /// The definition that the disposition's snapshot is written by. `None` keeps the current one.
    pub definition: Option<DefinitionHash>,
    /// How many past states of the run to [keep](crate::store::PastState), including that of this step; older ones
    /// are removed. `None` keeps and removes none.
    pub keep_history: Option<u32>,
    /// The encoded snapshot to keep of a run that this step completes, for reading its exposed variables. `None`
    /// keeps none. Ignored if the run does not complete.
    pub last_snapshot: Option<Vec<u8>>,
    /// Arrivals consumed by the step, by number.
    pub consumed: Vec<i64>,
    /// Other writes of the step.
    pub effects: Vec<Effect>,
}

impl CommitStep {
    /// A step that writes only the run's own row.
    pub fn new(run_id: RunId, expected: StepNo, disposition: Disposition) -> Self {
        Self {
            run_id,
            expected,
            disposition,
            definition: None,
            keep_history: None,
            last_snapshot: None,
            consumed: Vec::new(),
            effects: Vec::new(),
        }
    }
}

/// The state of a run after a commit.
#[derive(Clone, Debug, PartialEq)]
pub enum Disposition {
    /// The owner keeps it in memory.
    Keep {
        /// The encoded snapshot.
        snapshot: Vec<u8>,
        /// The name of the state.
        state: Cow<'static, str>,
    },
    /// The run is parked: it has no owner.
    Park {
        /// The encoded snapshot.
        snapshot: Vec<u8>,
        /// The name of the state.
        state: Cow<'static, str>,
        /// When it becomes due by itself.
        due_at: Option<Timestamp>,
        /// The highest number of an arrival that the owner has read. If the inbox has a higher one, the run is due
        /// at once.
        inbox_read: i64,
    },
    /// The run is closed. Of its unconsumed arrivals, a successor gets those that [`Successor`] names, and the inbox
    /// is emptied; without a successor, signals stay in it and the rest is deleted.
    Close {
        /// A closed status.
        status: RunStatus,
        /// The encoded return value, if it has one.
        result: Option<Payload>,
        /// Why it did not complete, for people.
        failure: Option<String>,
        /// The next run of its chain.
        successor: Option<Box<Successor>>,
    },
    /// The run is blocked: it has no owner, and nobody may claim it until it is unblocked. Its snapshot and its
    /// number of takeovers do not change.
    Block {
        /// The reason.
        reason: BlockedReason,
    },
}

/// The next run of a chain, started by the commit that closes the previous one.
///
/// It takes over the workflow id, the attributes, the memo and all dedup keys of the previous run, and in its
/// inbox, in order, the unconsumed signals and requests to cancel. Waits for the chain, and children of its runs,
/// are not affected.
#[derive(Clone, Debug, PartialEq)]
pub struct Successor {
    /// The run. Its [`NewRun::owner`] and [`NewRun::first`] are ignored.
    pub run: NewRun,
    /// Why it follows.
    pub link: Link,
}

impl Disposition {
    /// Closes the run, without a successor.
    pub fn close(status: RunStatus, result: Option<Payload>, failure: Option<String>) -> Self {
        Self::Close { status, result, failure, successor: None }
    }

    /// The next run, if the run closes and has one.
    pub fn successor(&self) -> Option<&Successor> {
        match self {
            Self::Close { successor, .. } => successor.as_deref(),
            _ => None,
        }
    }

    /// Shortens texts for people to [what can be stored](recorded).
    pub(crate) fn recorded(self) -> Self {
        match self {
            Self::Close { status, result, failure, successor } => {
                Self::Close { status, result, failure: failure.map(recorded), successor }
            }
            Self::Block { reason } => Self::Block { reason: reason.recorded() },
            other => other,
        }
    }

    /// A function that returns how the run ends, if it does. A function, because few callers need the value.
    pub fn ending(&self) -> Option<impl FnOnce() -> Ending> {
        let Self::Close { status, result, failure, .. } = self else { return None };
        let (status, result, failure) = (*status, result, failure);
        Some(move || Ending { status, result: result.clone(), failure: failure.clone() })
    }
}

/// The result of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommitOutcome {
    /// It is committed.
    Committed,
    /// The run is closed, has another owner, or is at another step; nothing was written for it.
    Lost,
}

/// A blocked run, with the data by which a build decides whether it can continue the run. The snapshot, which may
/// be large, is [read](super::Visibility::find_snapshot) separately.
#[derive(Clone, Debug)]
pub struct BlockedRun {
    /// The run.
    pub run_id: RunId,
    /// The number of the commit that blocked it.
    pub step_no: StepNo,
    /// The workflow's stored name.
    pub workflow: String,
    /// Why it is blocked.
    pub reason: BlockedReason,
}
