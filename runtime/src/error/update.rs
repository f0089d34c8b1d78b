//! Errors of queries and updates.

use std::fmt;
use std::sync::Arc;

use super::{KeyError, LookupError, StartError, StoreError};
use crate::codec::CodecError;
use crate::machine::Never;
use crate::model::RunId;
use crate::store::RunKey;

/// Why an exposed variable could not be read, or a query answered.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum QueryError {
    /// The run could not be looked up: there is none, or the database fails.
    #[error(transparent)]
    Lookup(#[from] LookupError),
    /// No exposed variable of this name is kept in the state that the run is in: the workflow has none, or it
    /// is before the `let` or behind its scope. In the latter case, asking again later may help.
    #[error(
        "no variable `{name}` is exposed by the run {run_id} in its present state; exposed are: {}",
        list(.exposed)
    )]
    NotExposed {
        /// The run.
        run_id: RunId,
        /// The name asked for.
        name: String,
        /// The names of those that are.
        exposed: Vec<String>,
    },
    /// The value is not one of the type asked for, or the database lacks its schema.
    #[error("the exposed variable `{name}` of the run {run_id} cannot be read")]
    Variable {
        /// The run.
        run_id: RunId,
        /// The variable.
        name: String,
        /// Why not.
        #[source]
        source: CodecError,
    },
    /// What is saved of the run cannot be read.
    #[error("the saved state of the run {run_id} cannot be read: {reason}")]
    Unreadable {
        /// The run.
        run_id: RunId,
        /// Why not.
        reason: String,
    },
}

impl From<StoreError> for QueryError {
    fn from(error: StoreError) -> Self {
        LookupError::from(error).into()
    }
}

/// Why an update was not answered with a value; `E` is what it can be refused with.
#[derive(Debug)]
#[non_exhaustive]
pub enum UpdateError<E> {
    /// The run, or a validator, has refused it.
    Refused(E),
    /// The run has taken the update and dropped it without an answer.
    Dropped {
        /// The run.
        run_id: RunId,
        /// The id of the update.
        update: String,
    },
    /// The run is closed, and has not answered the update.
    Closed {
        /// The run.
        run_id: RunId,
    },
    /// There is no such run.
    Unknown {
        /// The run.
        run_id: RunId,
    },
    /// No run has, or has had, this workflow id.
    NoRun(RunKey),
    /// The run has accepted no update with this id.
    NotAccepted {
        /// The run.
        run_id: RunId,
        /// The id of the update.
        update: String,
    },
    /// No build of the workflow that the database knows waits for such an update anywhere.
    NotAwaited {
        /// The workflow.
        workflow: String,
        /// The update's stored name.
        update: String,
        /// What it waits for.
        awaited: Vec<String>,
    },
    /// The id of the update cannot be one.
    Id(KeyError),
    /// The request cannot be encoded. Trying again does not help.
    Encode {
        /// The update's stored name.
        update: String,
        /// Which type refuses, and why.
        source: CodecError,
    },
    /// The run could not read the request.
    Unreadable {
        /// The run.
        run_id: RunId,
        /// Why not.
        reason: String,
    },
    /// A validator could not look at the run.
    Validator(Box<QueryError>),
    /// The answer cannot be read by this program.
    Reply(CodecError),
    /// The run that is to get the update could not be started.
    Start(Box<StartError>),
    /// The database failed. The update may or may not have arrived; with an id of your own, sending it again is safe.
    Store(Arc<StoreError>),
}

impl UpdateError<Never> {
    /// The same of an update that may be refused.
    pub(crate) fn widen<E>(self) -> UpdateError<E> {
        match self {
            Self::Refused(never) => match never {},
            Self::Dropped { run_id, update } => UpdateError::Dropped { run_id, update },
            Self::Closed { run_id } => UpdateError::Closed { run_id },
            Self::Unknown { run_id } => UpdateError::Unknown { run_id },
            Self::NoRun(key) => UpdateError::NoRun(key),
            Self::NotAccepted { run_id, update } => UpdateError::NotAccepted { run_id, update },
            Self::NotAwaited { workflow, update, awaited } => {
                UpdateError::NotAwaited { workflow, update, awaited }
            }
            Self::Id(error) => UpdateError::Id(error),
            Self::Encode { update, source } => UpdateError::Encode { update, source },
            Self::Unreadable { run_id, reason } => UpdateError::Unreadable { run_id, reason },
            Self::Validator(error) => UpdateError::Validator(error),
            Self::Reply(error) => UpdateError::Reply(error),
            Self::Start(error) => UpdateError::Start(error),
            Self::Store(error) => UpdateError::Store(error),
        }
    }
}

impl<E: fmt::Display> fmt::Display for UpdateError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(error) => write!(f, "{error:#}"),
            Self::Dropped { run_id, update } => {
                write!(f, "the run {run_id} has dropped the update `{update}` without an answer")
            }
            Self::Closed { run_id } => {
                write!(f, "the run {run_id} is closed and has not answered the update")
            }
            Self::Unknown { run_id } => write!(f, "there is no run {run_id}"),
            Self::NoRun(key) => write!(f, "{}", LookupError::Unknown(key.clone())),
            Self::NotAccepted { run_id, update } => {
                write!(f, "the run {run_id} has accepted no update with the id `{update}`")
            }
            Self::NotAwaited { workflow, update, awaited } => write!(
                f,
                "the workflow `{workflow}` never waits for the update `{update}`; it waits for: {}",
                list(awaited)
            ),
            Self::Id(_) => f.write_str("the id of the update cannot be used"),
            Self::Encode { update, .. } => write!(f, "the update `{update}` cannot be saved"),
            Self::Unreadable { run_id, reason } => {
                write!(f, "the run {run_id} cannot read the update: {reason}")
            }
            Self::Validator(_) => f.write_str("a validator could not look at the run"),
            Self::Reply(_) => f.write_str("the answer to the update cannot be read"),
            Self::Start(error) => write!(f, "{error}"),
            Self::Store(_) => f.write_str("the update could not be written or looked up"),
        }
    }
}

impl<E: fmt::Debug + fmt::Display> std::error::Error for UpdateError<E> {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Id(error) => Some(error),
            Self::Encode { source, .. } | Self::Reply(source) => Some(source),
            Self::Validator(error) => Some(&**error),
            Self::Start(error) => error.source(),
            Self::Store(error) => Some(error),
            _ => None,
        }
    }
}

/// Names for people.
pub(super) fn list(names: &[String]) -> String {
    match names {
        [] => "none".to_owned(),
        names => names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "),
    }
}
