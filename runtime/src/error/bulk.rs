//! Errors of bulk changes of runs.

use super::{KeyError, SignalError, StoreError};

/// Why a bulk change has changed no runs, or not all of them.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BulkError {
    /// The author or the reason of the change is missing.
    #[error("a bulk change needs an author, with `by`, and a reason, with `because`")]
    Unsigned,
    /// The dedup key is not valid.
    #[error("the dedup key cannot be used: {0}")]
    Key(KeyError),
    /// The signal cannot be sent. No run was changed.
    #[error(transparent)]
    Signal(SignalError),
    /// The database failed, and still failed when the call was retried. Runs before this one were changed. A
    /// repetition with the same key sends to each run at most once.
    #[error(transparent)]
    Store(#[from] StoreError),
}
