//! The error of a child that returned no value.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::machine::request;
use crate::model::RunId;

/// How a child ended, if not with a value, as its parent has it; `E` is the error that the child's workflow returns.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum ChildError<E> {
    /// It returned this error.
    Failed(E),
    /// Something that it waited for failed in a way that its code could not see, such as the timeout of an activity
    /// that does not return a `Result`.
    Uncaught {
        /// What failed, with causes.
        reason: String,
    },
    /// It was asked to cancel, and did not return a value after that.
    Cancelled {
        /// Why, as given with the request.
        reason: String,
    },
    /// It was terminated.
    Terminated {
        /// Why, as given with the termination.
        reason: String,
    },
    /// It was not started: an open run had its workflow id.
    IdTaken {
        /// The id asked for.
        workflow_id: String,
        /// The run that had it.
        run_id: RunId,
    },
    /// The run that waits was asked to cancel, which has ended the wait. The child continues.
    Interrupted,
    /// The database has no such child any more.
    Unknown {
        /// The id that it had.
        workflow_id: String,
    },
    /// Its timeout was over.
    TimedOut {
        /// Which timeout.
        reason: String,
    },
}

/// The child's own error shows with its causes if it prints them for `{:#}`.
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
