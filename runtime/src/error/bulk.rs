//! Errors of changes of many runs.

use super::{KeyError, SignalError, StoreError};

/// Why runs have not been changed, or not all of them.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BulkError {
    /// It is not said who makes the change, or why.
    #[error("a bulk change needs an author, with `by`, and a reason, with `because`")]
    Unsigned,
    /// The key by which a repetition is known cannot be one.
    #[error("the key cannot be used")]
    Key(#[source] KeyError),
    /// What is to be sent cannot be sent. No run was changed.
    #[error(transparent)]
    Signal(SignalError),
    /// The database failed, and went on failing when tried again. Runs before this one were changed; called again with
    /// the same key, each of them is sent nothing twice.
    #[error(transparent)]
    Store(#[from] StoreError),
}
