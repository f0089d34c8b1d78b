//! Promises that are due: they expire, or a process that has completed one has died before all who wait had it.

use crate::error::StoreError;
use crate::store::Store;

/// The most promises in one transaction.
const MAX_SETTLED: u32 = 100;

/// The most transactions of one sweep, so that a sweep comes to its other parts while others complete promises.
const MAX_ROUNDS: usize = 20;

/// Settles what is due.
pub(super) async fn settle(store: &dyn Store) -> Result<(), StoreError> {
    for _ in 0..MAX_ROUNDS {
        if !store.settle_promises(MAX_SETTLED).await? {
            break;
        }
    }
    Ok(())
}
