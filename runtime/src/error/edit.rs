//! Errors of editing runs by hand.

use super::{KeyError, LookupError, StoreError};
use crate::model::{RunId, RunStatus, WorkerId};

/// Why a run was not edited. Nothing was written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EditError {
    /// The run was not found, or the database failed.
    #[error(transparent)]
    Lookup(#[from] LookupError),
    /// The author or the reason of the edit is missing.
    #[error("an edit needs an author, with `by`, and a reason, with `because`")]
    Unsigned,
    /// The edit has no changes.
    #[error("the edit has no changes")]
    Nothing,
    /// A worker owns the run. Edit it once it is parked, or after that worker was shut down.
    #[error("worker {} owns the run {run_id}; it can be edited once it is parked", worker.0)]
    Busy {
        /// The run.
        run_id: RunId,
        /// The worker.
        worker: WorkerId,
    },
    /// The run has made steps since it was read. Read it again.
    #[error("the run {run_id} has changed in the meantime; inspect it again and repeat the edit")]
    Moved {
        /// The run.
        run_id: RunId,
    },
    /// The run is closed.
    #[error("the run {run_id} is {status}")]
    Closed {
        /// The run.
        run_id: RunId,
        /// Its status.
        status: RunStatus,
    },
    /// The compensations of the run are running or have run: they undo the work of its code, so the code cannot
    /// continue. Start the workflow again instead.
    #[error(
        "the compensations of the run {run_id} have begun, so its code cannot continue; start the workflow again instead"
    )]
    Compensated {
        /// The run.
        run_id: RunId,
    },
    /// The run is closed and has a successor in its chain, so it cannot be reopened.
    #[error(
        "the run {run_id} is followed by the run {next_run_id}, so it cannot be reopened; edit that one"
    )]
    Followed {
        /// The run.
        run_id: RunId,
        /// The successor.
        next_run_id: RunId,
    },
    /// An open run has the workflow id.
    #[error("the open run {run_id} has the workflow id")]
    IdTaken {
        /// That run.
        run_id: RunId,
    },
    /// The saved state of the run cannot be read.
    #[error("the saved state of the run {run_id} cannot be read: {reason}")]
    Unreadable {
        /// The run.
        run_id: RunId,
        /// The reason.
        reason: String,
    },
    /// The state has no such variable.
    #[error("the state `{state}` keeps no variable `{variable}`; it keeps {}", list(known))]
    NoVariable {
        /// The state.
        state: String,
        /// The variable.
        variable: String,
        /// The variables of the state.
        known: Vec<String>,
    },
    /// The run has not begun, and the variable is an argument. An edit cannot change arguments.
    #[error(
        "the run has not begun, and `{name}` is one of its arguments, which cannot be changed: terminate the run and \
         start it again with other arguments"
    )]
    Argument {
        /// The parameter.
        name: String,
    },
    /// A value does not fit its type.
    #[error("the value for `{name}` does not fit the type `{type_name}`: {reason}")]
    Value {
        /// The variable or the await.
        name: String,
        /// The type.
        type_name: String,
        /// The mismatch, with its path.
        reason: String,
    },
    /// The run does not wait for an operation with this name.
    #[error("the run does not wait for `{name}`; it waits for {}", list(known))]
    NoAwait {
        /// The name.
        name: String,
        /// The names of its waits.
        known: Vec<String>,
    },
    /// A signal for this wait has arrived already, and the run takes it first: set it aside, or let the run take it.
    #[error("a signal for `{name}` has arrived already, with the number {seq}, and is taken first")]
    Arrived {
        /// The wait.
        name: String,
        /// The number of the signal.
        seq: i64,
    },
    /// The run waits for several operations with this name.
    #[error("the run waits for several `{name}`: say which of {}", list(known))]
    SeveralAwaits {
        /// The name.
        name: String,
        /// The full names of the candidates.
        known: Vec<String>,
    },
    /// A wait of this kind cannot be completed in this way.
    #[error("`{name}` is {what}")]
    NoOutcome {
        /// The await.
        name: String,
        /// The kind, and how it can be completed.
        what: String,
    },
    /// The workflow has no such state.
    #[error("the workflow has no state `{state}`; it has {}", list(known))]
    NoState {
        /// The state.
        state: String,
        /// Its states.
        known: Vec<String>,
    },
    /// Edits cannot move a run to this state.
    #[error("a run cannot be moved to the state `{state}`: {reason}")]
    CannotMove {
        /// The state.
        state: String,
        /// The reason.
        reason: String,
    },
    /// The workflow id of the new run is not valid.
    #[error("the workflow id cannot be used: {0}")]
    WorkflowId(KeyError),
    /// No past state of this step is kept.
    #[error("the run {run_id} has no state of step {step_no}; {}", kept_steps(kept))]
    NoHistory {
        /// The run.
        run_id: RunId,
        /// The step.
        step_no: i64,
        /// The steps whose states are kept.
        kept: Vec<String>,
    },
    /// The state waits for an activity on a queue whose row was deleted.
    #[error(
        "the state waits for `{activity}` on the queue `{queue}`, and the call was deleted with the queue's row; \
         choose an earlier state"
    )]
    OnQueue {
        /// The activity.
        activity: String,
        /// The queue.
        queue: String,
    },
    /// The run would attempt an `at_most_once` activity again, which may have been executed before the run failed.
    #[error(
        "the run {run_id} would attempt `{activity}` again, which is `at_most_once` and may have been executed: check \
         whether it was; then allow the repetition (`ChangeOne::repeat_at_most_once`, `--repeat-at-most-once`), or start \
         the workflow again"
    )]
    AtMostOnce {
        /// The run.
        run_id: RunId,
        /// The activity.
        activity: String,
    },
    /// The run's inbox has no such signal: the run has taken it, or the number belongs to another kind of arrival that can
    /// be read.
    #[error(
        "the inbox of the run {run_id} has no signal with the number {seq}; inspect the run again"
    )]
    NoSignal {
        /// The run.
        run_id: RunId,
        /// The number.
        seq: i64,
    },
    /// The state waits for a promise for which the run no longer waits; only its code can start that wait.
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

fn kept_steps(kept: &[String]) -> String {
    match kept {
        [] => "none of its past states is kept".to_owned(),
        kept => format!("kept are those of {}", list(kept)),
    }
}

fn list(names: &[String]) -> String {
    match names {
        [] => "none".to_owned(),
        names => names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "),
    }
}
