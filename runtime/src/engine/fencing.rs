//! Taking over the runs of workers that have died or lost their leases.
//!
//! Any number of workers may do this at the same time: the store fences each worker once.

use tracing::info;

use crate::error::StoreError;
use crate::store::Store;

/// Releases the runs of workers that the store knows to be dead.
pub(crate) async fn fence_dead_workers(store: &dyn Store) -> Result<(), StoreError> {
    let dead = store.find_dead_workers().await?;
    if !dead.is_empty() {
        let runs = store.fence_workers(&dead).await?;
        info!(workers = dead.len(), runs, "took the runs of workers that have died");
    }
    Ok(())
}

/// Releases the runs of workers whose leases have expired.
pub(crate) async fn fence_expired_workers(store: &dyn Store) -> Result<(), StoreError> {
    let (expired, runs) = store.fence_expired_workers().await?;
    if !expired.is_empty() {
        info!(workers = expired.len(), runs, "took the runs of workers whose lease had run out");
    }
    Ok(())
}
