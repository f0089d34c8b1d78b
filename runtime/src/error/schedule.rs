//! Errors of schedules.

use piton_schedule::SpecError;

use super::{KeyError, SignalError, StartError, StoreError};
use crate::codec::CodecError;
use crate::model::{AttributeError, Timestamp};

/// Why an operation on a schedule failed. Nothing was changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ScheduleError {
    /// The database [is away](crate::client::Client#when-the-database-is-away) for too long. The operation may have
    /// taken effect; repeating it is safe, except for a trigger and a backfill, which may then happen twice.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The spec is not valid.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// The spec has no time in the future.
    #[error("the schedule is not due at any time from now on: change its spec")]
    Over,
    /// The schedule's id is not valid.
    #[error("the id of the schedule cannot be used: {0}")]
    Id(KeyError),
    /// A workflow id built from the schedule's pattern is not valid.
    #[error("the workflow id of the schedule's runs cannot be used: {0}")]
    WorkflowId(KeyError),
    /// The pattern of the workflow ids has an unknown placeholder.
    #[error(
        "the workflow id of the schedule's runs has the unknown placeholder `{found}`{}; the known ones are \
         `{{schedule}}` and `{{time}}`",
        did_you_mean(.near)
    )]
    Placeholder {
        /// The placeholder.
        found: String,
        /// The known one that it resembles, if it differs by a typing error.
        near: Option<String>,
    },
    /// The attributes cannot be stored.
    #[error("the attributes cannot be stored: {0}")]
    Attributes(AttributeError),
    /// The memo is too long.
    #[error("the memo has {bytes} bytes as JSON; the limit is {}", crate::model::Memo::MAX_BYTES)]
    Memo {
        /// Its size as JSON, in bytes.
        bytes: usize,
    },
    /// The workflow is generic, and this instance is not registered.
    #[error("`{workflow}` is not registered: give it a name with `piton::register!`")]
    NotRegistered {
        /// The type of the workflow.
        workflow: &'static str,
    },
    /// An argument cannot be encoded.
    #[error("the arguments of `{workflow}` cannot be encoded")]
    Arguments {
        /// The workflow.
        workflow: &'static str,
        /// The reason.
        source: CodecError,
    },
    /// No run can be started with the workflow's name and the JSON of its arguments:
    /// [`StartError::UnknownWorkflow`], [`StartError::JsonArguments`].
    #[error(transparent)]
    Start(Box<StartError>),
    /// Runs of the workflow do not await the signal, or cannot read its value: [`SignalError::NotAwaited`],
    /// [`SignalError::Unfit`].
    #[error(transparent)]
    Awaited(#[from] SignalError),
    /// The signal cannot be encoded.
    #[error("the signal `{signal}` cannot be encoded")]
    Signal {
        /// The signal's stored name.
        signal: &'static str,
        /// The reason.
        source: CodecError,
    },
    /// A schedule with this id exists.
    #[error("the schedule `{id}` exists already: update it, or delete it first")]
    Exists {
        /// The id.
        id: String,
    },
    /// There is no schedule with this id.
    #[error("there is no schedule `{id}`")]
    Unknown {
        /// The id.
        id: String,
    },
    /// The schedule was changed since it was described.
    #[error(
        "the schedule `{id}` has revision {revision} by now, not {expected}: describe it, and update that revision"
    )]
    Moved {
        /// The id.
        id: String,
        /// Its revision.
        revision: i64,
        /// The revision that the update required.
        expected: i64,
    },
    /// The last time of a backfill is before its first.
    #[error("the end of the backfill is before its start: swap the two times")]
    Period,
    /// The last time of a backfill is in the future.
    #[error(
        "the backfill ends at {to}, after the present time, {now}: the schedule itself starts the runs of the future"
    )]
    Future {
        /// The end of the backfill.
        to: Timestamp,
        /// The time of the database.
        now: Timestamp,
    },
    /// A backfill has more times than it may have.
    #[error(
        "the backfill has more than {most} times: make its period shorter, or allow more with `Backfill::max_runs` or \
         `--max-runs`"
    )]
    TooManyTimes {
        /// The limit.
        most: usize,
    },
}

fn did_you_mean(near: &Option<String>) -> String {
    near.as_ref().map_or_else(String::new, |near| format!(", did you mean `{near}`?"))
}
