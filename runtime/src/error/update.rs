//! Errors of queries and updates.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::{KeyError, LookupError, StartError, StoreError};
use crate::codec::CodecError;
use crate::machine::Never;
use crate::model::RunId;
use crate::store::RunKey;

/// Why an exposed variable was not read, or a query not answered.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum QueryError {
    /// The run was not found, or the database failed.
    #[error(transparent)]
    Lookup(#[from] LookupError),
    /// The run's state has no exposed variable with this name: the workflow has none, or its code is before the
    /// `let` or after its scope. If it is before the `let`, calling again later may help.
    #[error(
        "no variable `{name}` is exposed by the run {run_id} in its present state; exposed are: {}",
        list(.exposed)
    )]
    NotExposed {
        /// The run.
        run_id: RunId,
        /// The requested name.
        name: String,
        /// The names of the exposed variables.
        exposed: Vec<String>,
    },
    /// The value does not fit the requested type, or the database lacks its schema.
    #[error("the exposed variable `{name}` of the run {run_id} cannot be read")]
    Variable {
        /// The run.
        run_id: RunId,
        /// The variable.
        name: String,
        /// The reason.
        #[source]
        source: CodecError,
    },
    /// The saved state of the run cannot be read.
    #[error("the saved state of the run {run_id} cannot be read: {reason}")]
    Unreadable {
        /// The run.
        run_id: RunId,
        /// The reason.
        reason: String,
    },
    /// The program has no query with this name for the workflow, or several in different modules.
    #[error(
        "`{name}` names no single query of the workflow `{workflow}` in this program; its queries are: {}",
        list(.known)
    )]
    NoQuery {
        /// The workflow of the run.
        workflow: String,
        /// The requested name.
        name: String,
        /// The paths of the workflow's queries.
        known: Vec<String>,
    },
    /// A JSON argument of a query is missing, unknown or of another type.
    #[error("{} of the query `{query}` does not fit: {reason}", argument_of(.argument))]
    Argument {
        /// The path of the query.
        query: String,
        /// The argument; `None` for the object of all of them.
        argument: Option<String>,
        /// The reason.
        reason: String,
    },
    /// The answer of a query has no JSON form.
    #[error("the answer of the query `{query}` has no JSON form: {reason}")]
    Answer {
        /// The path of the query.
        query: String,
        /// The reason.
        reason: String,
    },
}

fn argument_of(name: &Option<String>) -> String {
    match name {
        Some(name) => format!("the argument `{name}`"),
        None => "the list of arguments".to_owned(),
    }
}

impl From<StoreError> for QueryError {
    fn from(error: StoreError) -> Self {
        LookupError::from(error).into()
    }
}

/// Why an update has no answer; `E` is the error with which it can be refused.
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
    /// The run has closed without an answer to the update.
    Closed {
        /// The run.
        run_id: RunId,
    },
    /// There is no such run.
    Unknown {
        /// The run.
        run_id: RunId,
    },
    /// There is no run with this workflow id, open or closed.
    NoRun(RunKey),
    /// The run has accepted no update with this id.
    NotAccepted {
        /// The run.
        run_id: RunId,
        /// The id of the update.
        update: String,
    },
    /// The run has accepted another update with this id. An id belongs to one update and its answer.
    IdTaken {
        /// The run.
        run_id: RunId,
        /// The id.
        id: String,
        /// The stored name of this update.
        update: String,
        /// The stored name of the one that has the id.
        by: String,
    },
    /// No recorded build of the workflow awaits such an update.
    NotAwaited {
        /// The workflow.
        workflow: String,
        /// The update's stored name.
        update: String,
        /// The updates that it awaits.
        awaited: Vec<String>,
    },
    /// The run has accepted the update and not answered it within the time limit. It may answer later; whoever sends the
    /// update again with this id gets the answer.
    NoAnswer {
        /// The run.
        run_id: RunId,
        /// The id of the update.
        update: String,
        /// The limit.
        limit: Duration,
    },
    /// The id of the update is not valid.
    Id(KeyError),
    /// The request cannot be encoded. Retrying does not help.
    Encode {
        /// The update's stored name.
        update: String,
        /// The type that failed, and why.
        source: CodecError,
    },
    /// The run could not decode the request.
    Unreadable {
        /// The run.
        run_id: RunId,
        /// The reason.
        reason: String,
    },
    /// A validator could not read the run's variables.
    Validator(Box<QueryError>),
    /// This program cannot decode the answer.
    Reply(CodecError),
    /// The run for the update could not be started.
    Start(Box<StartError>),
    /// The database failed. The update may have arrived. With an id of your own, sending it again is safe.
    Store(Arc<StoreError>),
}

impl UpdateError<Never> {
    /// The same error with another type of refusal.
    pub(crate) fn widen<E>(self) -> UpdateError<E> {
        match self {
            Self::Refused(never) => match never {},
            Self::Dropped { run_id, update } => UpdateError::Dropped { run_id, update },
            Self::Closed { run_id } => UpdateError::Closed { run_id },
            Self::Unknown { run_id } => UpdateError::Unknown { run_id },
            Self::NoRun(key) => UpdateError::NoRun(key),
            Self::NotAccepted { run_id, update } => UpdateError::NotAccepted { run_id, update },
            Self::IdTaken { run_id, id, update, by } => {
                UpdateError::IdTaken { run_id, id, update, by }
            }
            Self::NotAwaited { workflow, update, awaited } => {
                UpdateError::NotAwaited { workflow, update, awaited }
            }
            Self::NoAnswer { run_id, update, limit } => {
                UpdateError::NoAnswer { run_id, update, limit }
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
            Self::IdTaken { run_id, id, update, by } => write!(
                f,
                "the run {run_id} has accepted the update `{by}` with the id `{id}`, so `{update}` needs another id"
            ),
            Self::NotAwaited { workflow, update, awaited } => write!(
                f,
                "the workflow `{workflow}` never waits for the update `{update}`; it waits for: {}",
                list(awaited)
            ),
            Self::NoAnswer { run_id, update, limit } => write!(
                f,
                "the run {run_id} has not answered the update with the id `{update}` within {limit:?}"
            ),
            Self::Id(_) => f.write_str("the id of the update cannot be used"),
            Self::Encode { update, .. } => write!(f, "the update `{update}` cannot be saved"),
            Self::Unreadable { run_id, reason } => {
                write!(f, "the run {run_id} cannot read the update: {reason}")
            }
            Self::Validator(_) => f.write_str("a validator could not look at the run"),
            Self::Reply(_) => f.write_str("the answer to the update cannot be read"),
            Self::Start(error) => write!(f, "{error}"),
            Self::Store(_) => {
                f.write_str("the database failed while the update was sent or answered")
            }
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
