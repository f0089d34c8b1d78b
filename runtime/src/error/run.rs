//! Why a run was not found, or gave no value.

use std::fmt;
use std::sync::Arc;

use super::StoreError;
use crate::codec::CodecError;
use crate::machine::Never;
use crate::model::RunId;
use crate::store::RunKey;

/// Why a run was not found.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LookupError {
    /// There is no such run.
    #[error("there is no run with the {}", name(.0))]
    Unknown(RunKey),
    /// The run belongs to another workflow.
    #[error("the run {run_id} is a run of `{found}`, not of `{expected}`")]
    OtherWorkflow {
        /// The run.
        run_id: RunId,
        /// Its workflow.
        found: String,
        /// The requested workflow.
        expected: &'static str,
    },
    /// The database failed, and still failed when the call was retried. Calling again may help.
    #[error("the database failed while the run was looked up")]
    Store(#[from] StoreError),
}

pub(super) fn name(key: &RunKey) -> String {
    match key {
        RunKey::RunId(run_id) => format!("run id {run_id}"),
        RunKey::WorkflowId(id) => format!("workflow id `{id}`"),
    }
}

/// Why waiting for a run returned no value; `E` is the workflow's own error type.
#[derive(Debug)]
#[non_exhaustive]
pub enum RunError<E> {
    /// The workflow returned this error.
    Failed(E),
    /// An operation failed in a way that the workflow's code could not handle, such as the timeout of an activity
    /// that does not return a `Result`.
    Uncaught {
        /// The failure, with its causes.
        reason: String,
    },
    /// The run was requested to cancel, and did not return a value afterwards.
    Cancelled {
        /// The reason given with the request.
        reason: String,
    },
    /// The run was terminated.
    Terminated {
        /// The reason given with the termination.
        reason: String,
    },
    /// A timeout of the run, or of its chain, has passed.
    TimedOut {
        /// Which timeout.
        reason: String,
    },
    /// The run has continued as a new run. Only returned by
    /// [`RunHandle::result_of_this_run`](crate::client::RunHandle::result_of_this_run).
    ContinuedAsNew {
        /// The next run.
        run_id: RunId,
    },
    /// The run has completed or failed, and its result was removed by the
    /// [retention](crate::worker::Retention::payloads_of_all) of a worker.
    ResultRemoved {
        /// The run.
        run_id: RunId,
    },
    /// The run was not found.
    Lookup(Box<LookupError>),
    /// The run completed, but this program cannot decode its return value.
    Unreadable(CodecError),
    /// There is no such run.
    Unknown {
        /// The run.
        run_id: RunId,
    },
    /// The database failed; calling again may help. The run is not affected.
    Store(Arc<StoreError>),
}

impl RunError<Never> {
    /// The same error with another type of the workflow's own.
    pub(crate) fn widen<E>(self) -> RunError<E> {
        match self {
            Self::Failed(never) => match never {},
            Self::Uncaught { reason } => RunError::Uncaught { reason },
            Self::Cancelled { reason } => RunError::Cancelled { reason },
            Self::Terminated { reason } => RunError::Terminated { reason },
            Self::TimedOut { reason } => RunError::TimedOut { reason },
            Self::ContinuedAsNew { run_id } => RunError::ContinuedAsNew { run_id },
            Self::ResultRemoved { run_id } => RunError::ResultRemoved { run_id },
            Self::Lookup(error) => RunError::Lookup(error),
            Self::Unreadable(error) => RunError::Unreadable(error),
            Self::Unknown { run_id } => RunError::Unknown { run_id },
            Self::Store(error) => RunError::Store(error),
        }
    }
}

/// The workflow's own error includes its causes if it prints them for `{:#}`.
impl<E: fmt::Display> fmt::Display for RunError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed(error) => write!(f, "{error:#}"),
            Self::Uncaught { reason } => f.write_str(reason),
            Self::Cancelled { reason } => write!(f, "the run was cancelled: {reason}"),
            Self::Terminated { reason } => write!(f, "the run was terminated: {reason}"),
            Self::TimedOut { reason } => write!(f, "the run has timed out: {reason}"),
            Self::ContinuedAsNew { run_id } => write!(f, "the run continues as the run {run_id}"),
            Self::ResultRemoved { run_id } => {
                write!(f, "the run {run_id} is over, and its result was removed after a while")
            }
            Self::Lookup(error) => write!(f, "{error}"),
            Self::Unreadable(_) => f.write_str("the run's return value cannot be read"),
            Self::Unknown { run_id } => write!(f, "there is no run {run_id}"),
            Self::Store(_) => {
                f.write_str("the database failed while the run's result was looked up")
            }
        }
    }
}

impl<E: fmt::Debug + fmt::Display> std::error::Error for RunError<E> {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Lookup(error) => error.source(),
            Self::Unreadable(error) => Some(error),
            Self::Store(error) => Some(error),
            _ => None,
        }
    }
}
