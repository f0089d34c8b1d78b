//! Why a signal or a request to cancel was not sent.

use std::sync::Arc;

use super::run::name;
use super::update::list;
use super::{KeyError, StoreError};
use crate::codec::CodecError;
use crate::model::RunId;
use crate::store::RunKey;

/// Why a message to a run was not sent.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SignalError {
    /// The run is closed and accepts no messages.
    #[error("the run {run_id} is closed")]
    Closed {
        /// The run.
        run_id: RunId,
    },
    /// There is no such run.
    #[error("there is no run {run_id}")]
    Unknown {
        /// The run.
        run_id: RunId,
    },
    /// There is no run with this workflow id, open or closed.
    #[error("there is no run with the {}", name(.0))]
    NoRun(RunKey),
    /// No recorded build of the workflow awaits such a signal. [`unchecked`](crate::client::Send::unchecked) sends it for
    /// a build that is still to come.
    #[error(
        "the workflow `{workflow}` never waits for the signal `{signal}`; it waits for: {}",
        list(.awaited)
    )]
    NotAwaited {
        /// The workflow.
        workflow: String,
        /// The signal's stored name.
        signal: String,
        /// The signals that it awaits.
        awaited: Vec<String>,
    },
    /// The JSON does not fit the signal in any build of the workflow. Without the code, this is judged by schemas, which do
    /// not contain serde's attributes; [`unchecked`](crate::client::Send::unchecked) leaves it to the run. Nothing was
    /// sent.
    #[error("the value does not fit the signal `{signal}`: {reason}")]
    Unfit {
        /// The signal.
        signal: String,
        /// The mismatch, with its path.
        reason: String,
    },
    /// The dedup key is not valid.
    #[error("the dedup key cannot be used: {0}")]
    DedupKey(KeyError),
    /// The run has accepted another message with this dedup key. Nothing was sent.
    #[error(
        "the run {run_id} has accepted {} with the dedup key `{key}`, so {} needs another key",
        message(.by), message(.sent)
    )]
    KeyTaken {
        /// The run.
        run_id: RunId,
        /// The key.
        key: String,
        /// The stored name of this signal; `None` for a request to cancel.
        sent: Option<String>,
        /// The stored name of the signal that has the key; `None` for a request to cancel.
        by: Option<String>,
    },
    /// The signal cannot be encoded. Retrying does not help.
    #[error("the signal `{signal}` cannot be saved")]
    Encode {
        /// The signal's stored name.
        signal: &'static str,
        /// The type that failed, and why.
        #[source]
        source: CodecError,
    },
    /// The database failed. The message may have arrived. With a dedup key, sending it again is safe.
    #[error("the database failed while the message was sent")]
    Store(#[source] Arc<StoreError>),
}

/// A message, by the name of its signal.
fn message(signal: &Option<String>) -> String {
    match signal {
        Some(signal) => format!("the signal `{signal}`"),
        None => "a request to cancel".to_owned(),
    }
}
