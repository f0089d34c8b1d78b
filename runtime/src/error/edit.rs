//! Errors of changing runs by hand.

use super::{KeyError, LookupError, StoreError};
use crate::model::{RunId, RunStatus, WorkerId};

/// Why a run was not changed by hand. Nothing of the change was made then.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EditError {
    /// The run could not be looked up: there is none, or the database fails.
    #[error(transparent)]
    Lookup(#[from] LookupError),
    /// Who makes the change, or why, was not said.
    #[error("an edit needs an author, with `by`, and a reason, with `because`")]
    Unsigned,
    /// There is nothing to be changed.
    #[error("the edit has no changes")]
    Nothing,
    /// A worker has the run. It can be changed once it is parked, or that worker has been shut down.
    #[error("worker {} owns the run {run_id}; it can be edited once it is parked", worker.0)]
    Busy {
        /// The run.
        run_id: RunId,
        /// The worker.
        worker: WorkerId,
    },
    /// The run has gone on since it was read. Look at it again.
    #[error("the run {run_id} has changed in the meantime; inspect it again and repeat the edit")]
    Moved {
        /// The run.
        run_id: RunId,
    },
    /// The run is over.
    #[error("the run {run_id} is {status}")]
    Closed {
        /// The run.
        run_id: RunId,
        /// How it has ended.
        status: RunStatus,
    },
    /// The compensations of the run are being carried out or have been: what its code had done is undone, so the code
    /// cannot continue. Start the workflow again.
    #[error(
        "the compensations of the run {run_id} have begun, so its code cannot continue; start the workflow again instead"
    )]
    Compensated {
        /// The run.
        run_id: RunId,
    },
    /// The run is over, and another one follows it in its chain, so it cannot be opened again.
    #[error(
        "the run {run_id} is followed by the run {next_run_id}, so it cannot be opened again; edit that one"
    )]
    Followed {
        /// The run.
        run_id: RunId,
        /// The run that follows it.
        next_run_id: RunId,
    },
    /// An open run has the workflow id.
    #[error("the open run {run_id} has the workflow id")]
    IdTaken {
        /// That run.
        run_id: RunId,
    },
    /// What is saved of the run cannot be read.
    #[error("the saved state of the run {run_id} cannot be read: {reason}")]
    Unreadable {
        /// The run.
        run_id: RunId,
        /// Why.
        reason: String,
    },
    /// The state keeps no such variable.
    #[error("the state `{state}` keeps no variable `{variable}`; it keeps {}", list(known))]
    NoVariable {
        /// The state.
        state: String,
        /// What was asked for.
        variable: String,
        /// The variables that it keeps.
        known: Vec<String>,
    },
    /// A value does not fit its type.
    #[error("the value for `{name}` does not fit the type `{type_name}`: {reason}")]
    Value {
        /// The variable or the await.
        name: String,
        /// The type.
        type_name: String,
        /// What does not fit, and where.
        reason: String,
    },
    /// Nothing of this name is awaited.
    #[error("the run does not wait for `{name}`; it waits for {}", list(known))]
    NoAwait {
        /// What was asked for.
        name: String,
        /// What it waits for.
        known: Vec<String>,
    },
    /// Several of this name are awaited.
    #[error("the run waits for several `{name}`: say which of {}", list(known))]
    SeveralAwaits {
        /// What was asked for.
        name: String,
        /// Those that may be meant.
        known: Vec<String>,
    },
    /// A wait of this kind cannot be ended in this way.
    #[error("`{name}` is {what}")]
    NoOutcome {
        /// The await.
        name: String,
        /// What it is, and what follows from that.
        what: String,
    },
    /// The workflow has no such state.
    #[error("the workflow has no state `{state}`; it has {}", list(known))]
    NoState {
        /// What was asked for.
        state: String,
        /// Its states.
        known: Vec<String>,
    },
    /// The state cannot be gone to from outside.
    #[error("a run cannot be moved to the state `{state}`: {reason}")]
    CannotMove {
        /// The state.
        state: String,
        /// Why not.
        reason: String,
    },
    /// The workflow id of the new run is none.
    #[error("the workflow id cannot be used")]
    WorkflowId(#[source] KeyError),
    /// No state of this step is kept.
    #[error("the run {run_id} has no state of step {step_no}; kept are those of {}", list(kept))]
    NoHistory {
        /// The run.
        run_id: RunId,
        /// What was asked for.
        step_no: i64,
        /// The steps of which it is.
        kept: Vec<String>,
    },
    /// The state waits for an activity on a queue, whose call is no longer there.
    #[error(
        "the state waits for `{activity}` on the queue `{queue}`, and the call is no longer there; go to a state \
         before it"
    )]
    OnQueue {
        /// The activity.
        activity: String,
        /// The queue.
        queue: String,
    },
    /// The run would attempt an activity again that is `at_most_once`, and may have been carried out before it failed.
    #[error(
        "the run {run_id} would attempt `{activity}` again, which is `at_most_once` and may have been carried out: see \
         whether it was; then allow the repetition (`ChangeOne::repeat_at_most_once`, `--repeat-at-most-once`), or start \
         the workflow again"
    )]
    AtMostOnce {
        /// The run.
        run_id: RunId,
        /// The activity.
        activity: String,
    },
    /// There is no such signal in the run's inbox: the run has taken it, or the number is that of something else.
    #[error(
        "the inbox of the run {run_id} has no signal with the number {seq}; inspect the run again"
    )]
    NoSignal {
        /// The run.
        run_id: RunId,
        /// The number.
        seq: i64,
    },
    /// The state waits for a promise, and the run no longer does: only its code can begin to.
    #[error(
        "the state waits for the promise `{promise}`, which only the code can begin to wait for; choose a state before that"
    )]
    OnPromise {
        /// The name of the promise.
        promise: String,
    },
}

impl From<StoreError> for EditError {
    fn from(error: StoreError) -> Self {
        Self::Lookup(error.into())
    }
}

fn list(names: &[String]) -> String {
    match names {
        [] => "none".to_owned(),
        names => names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "),
    }
}
