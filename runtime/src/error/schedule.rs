//! Errors of schedules.

use piton_schedule::SpecError;

use super::{KeyError, StoreError};
use crate::codec::CodecError;
use crate::model::AttributeError;

/// Why something was not done to a schedule. Nothing of it was done then.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ScheduleError {
    /// The database [is away](crate::client::Client#when-the-database-is-away) for too long. What was asked for may
    /// have been done; asking again is safe, but for a trigger and a backfill, which may come twice then.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The spec says nothing that can be carried out.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// The spec is due at no time from now on.
    #[error("the schedule is not due at any time from now on: change its spec")]
    Over,
    /// The schedule's id, or a workflow id made of its pattern.
    #[error("the id is not valid")]
    Id(#[source] KeyError),
    /// The attributes cannot be stored.
    #[error("the attributes cannot be stored")]
    Attributes(#[source] AttributeError),
    /// The memo is longer than a memo may be.
    #[error("the memo has {bytes} bytes as JSON; the limit is {}", crate::model::Memo::MAX_BYTES)]
    Memo {
        /// Its length as JSON.
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
        /// Why.
        source: CodecError,
    },
    /// The signal cannot be encoded.
    #[error("the signal `{signal}` cannot be encoded")]
    Signal {
        /// The signal's stored name.
        signal: &'static str,
        /// Why.
        source: CodecError,
    },
    /// There is a schedule with this id.
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
    /// Somebody else has changed the schedule since it was described.
    #[error(
        "the schedule `{id}` has revision {revision} by now, not {expected}: describe it, and update that revision"
    )]
    Moved {
        /// The id.
        id: String,
        /// Its revision.
        revision: i64,
        /// The revision that was to be updated.
        expected: i64,
    },
    /// The last time of a backfill is before its first.
    #[error("the backfill ends before it begins")]
    Period,
}
