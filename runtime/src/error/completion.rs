//! Why an activity or a promise was not completed from outside.

use std::sync::Arc;

use super::{KeyError, StoreError};
use crate::codec::CodecError;
use crate::model::{PromiseToken, RunId};

/// Why a token of an activity had no effect.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TokenError {
    /// The attempt has ended: it was completed without the token, has failed or timed out, or the workflow has
    /// dropped it. Retrying does not help.
    #[error("attempt {attempt} of the activity has ended, so its token is no longer valid")]
    Stale {
        /// The attempt that the token names.
        attempt: u32,
    },
    /// The run is closed.
    #[error("the run {run_id} that the token belongs to is closed")]
    Closed {
        /// The run.
        run_id: RunId,
    },
    /// There is no such run.
    #[error(
        "the token belongs to the run {run_id}, which this database does not have; use the database that issued it"
    )]
    Unknown {
        /// The run.
        run_id: RunId,
    },
    /// The token belongs to a call of another activity.
    #[error("the token belongs to the activity `{found}`, not to `{expected}`")]
    OtherActivity {
        /// The activity it belongs to.
        found: String,
        /// The activity named by the caller.
        expected: &'static str,
    },
    /// The JSON does not fit what the activity returns, in any build that awaits it. The token was not used.
    #[error("the value does not fit what the activity `{activity}` returns: {reason}")]
    Unfit {
        /// The activity's stored name.
        activity: String,
        /// The mismatch, with its path.
        reason: String,
    },
    /// The value cannot be encoded. Retrying does not help.
    #[error("the value for `{what}` cannot be saved")]
    Encode {
        /// The activity's stored name, or `heartbeat`.
        what: &'static str,
        /// The type that failed, and why.
        #[source]
        source: CodecError,
    },
    /// The database failed, and still failed when the call was retried. The token may have been used; using it
    /// again is safe.
    #[error("the database failed while the token was used")]
    Store(#[source] Arc<StoreError>),
}

/// Why a promise was not completed, or its outcome not read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CompleteError {
    /// The promise's run has closed without an outcome of the promise. Retrying does not help.
    #[error("the run {run_id} that the promise belongs to is closed")]
    Closed {
        /// The run.
        run_id: RunId,
    },
    /// There is no such run.
    #[error(
        "the promise belongs to the run {run_id}, which this database does not have; use the database of that run"
    )]
    Unknown {
        /// The run.
        run_id: RunId,
    },
    /// The token names another workflow than that of the run. Retrying does not help.
    #[error("`{token}` names the workflow `{}`, but the run {run_id} is of `{workflow}`", token.workflow())]
    OtherWorkflow {
        /// The token.
        token: PromiseToken,
        /// The run.
        run_id: RunId,
        /// The run's workflow.
        workflow: String,
    },
    /// The token contains an invalid name of a promise or an invalid workflow id. Retrying does not help.
    #[error("there is no promise `{token}`")]
    Token {
        /// The token.
        token: PromiseToken,
        /// The reason.
        #[source]
        source: KeyError,
    },
    /// The token names an item of a queue, which only its activity completes. Retrying does not help.
    #[error("`{token}` names an item of the queue `{queue}`, which only its activity completes")]
    OfQueue {
        /// The token.
        token: PromiseToken,
        /// The queue.
        queue: String,
    },
    /// The value does not fit the type that the run expects. Retrying does not help.
    #[error("the value does not fit the promise `{token}`: {reason}")]
    Unfit {
        /// The token.
        token: PromiseToken,
        /// The mismatch, with its path.
        reason: String,
    },
    /// The value or error cannot be encoded. Retrying does not help.
    #[error("the promise `{token}` cannot be completed with this value")]
    Encode {
        /// The token.
        token: PromiseToken,
        /// The type that failed, and why.
        #[source]
        source: CodecError,
    },
    /// The outcome of the promise does not fit the requested type.
    #[error("the outcome of the promise `{token}` cannot be read")]
    Unreadable {
        /// The token.
        token: PromiseToken,
        /// The mismatch.
        #[source]
        source: CodecError,
    },
    /// The database failed, and still failed when the call was retried. The promise may have been completed;
    /// completing it again is safe.
    #[error("the database failed while the promise was looked up or completed")]
    Store(#[source] Arc<StoreError>),
}
