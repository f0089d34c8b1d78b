//! Due promises: those that expire, and outcomes that were not delivered to all waits because a process died.

use crate::error::StoreError;
use crate::store::Store;

/// The maximum number of promises in one transaction.
const MAX_SETTLED: u32 = 100;

/// The maximum number of transactions of one sweep, so that its other parts get their turn.
const MAX_ROUNDS: usize = 20;

/// Settles due promises.
pub(super) async fn settle(store: &dyn Store) -> Result<(), StoreError> {
    for _ in 0..MAX_ROUNDS {
        if !store.settle_promises(MAX_SETTLED).await? {
            break;
        }
    }
    Ok(())
}
