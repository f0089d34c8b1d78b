//! The error of a child that returned no value.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::machine::request;
use crate::model::RunId;

/// Why awaiting a child returned no value; `E` is the error type of the child's workflow.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum ChildError<E> {
    /// The child returned this error.
    Failed(E),
    /// An operation of the child failed in a way that its code could not handle, such as the timeout of an activity
    /// that does not return a `Result`.
    Uncaught {
        /// The failure, with its causes.
        reason: String,
    },
    /// The child was requested to cancel, and did not return a value afterwards.
    Cancelled {
        /// The reason given with the request.
        reason: String,
    },
    /// The child was terminated.
    Terminated {
        /// The reason given with the termination.
        reason: String,
    },
    /// The child was not started, because an open run had its workflow id.
    IdTaken {
        /// The workflow id.
        workflow_id: String,
        /// The run that had it.
        run_id: RunId,
    },
    /// The waiting run was requested to cancel, which ended the wait. The child continues.
    Interrupted,
    /// The child no longer exists in the database.
    Unknown {
        /// Its workflow id.
        workflow_id: String,
    },
    /// A timeout of the child has passed.
    TimedOut {
        /// Which timeout.
        reason: String,
    },
}

/// The child's own error includes its causes if it prints them for `{:#}`.
impl<E: fmt::Display> fmt::Display for ChildError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed(error) => write!(f, "{error:#}"),
            Self::Uncaught { reason } => f.write_str(reason),
            Self::Cancelled { reason } => write!(f, "the child was cancelled: {reason}"),
            Self::Terminated { reason } => write!(f, "the child was terminated: {reason}"),
            Self::TimedOut { reason } => write!(f, "the child has timed out: {reason}"),
            Self::IdTaken { workflow_id, run_id } => {
                write!(
                    f,
                    "the child's workflow id `{workflow_id}` is taken by the open run {run_id}"
                )
            }
            Self::Interrupted => {
                f.write_str("a request to cancel has ended the wait for the child")
            }
            Self::Unknown { workflow_id } => {
                write!(f, "there is no child with the workflow id `{workflow_id}` any more")
            }
        }
    }
}

impl<E: fmt::Debug + fmt::Display> std::error::Error for ChildError<E> {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Interrupted => Some(request()),
            _ => None,
        }
    }
}
