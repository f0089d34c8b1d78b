//! Workers and their leases.

use std::time::Duration;

use async_trait::async_trait;

use crate::error::StoreError;
use crate::model::{Epoch, Timestamp, WorkerId};

/// Workers and their leases. Only a worker with a valid lease may own runs.
///
/// The rules common to all methods are documented at [`Store`](super::Store).
#[async_trait]
pub trait Workers: Send + Sync {
    /// Adds a worker with a new lease, under a new id. Each call adds another worker: if the response is lost, the
    /// row stays until its lease expires. May delete rows of workers that were fenced long ago.
    async fn register_worker(&self, worker: NewWorker) -> Result<WorkerLease, StoreError>;

    /// Extends a lease to `lease` from now.
    ///
    /// Guard: the lease is valid, otherwise the result is [`Renewal::Fenced`] and nothing is written. An expired
    /// lease stays expired even if nobody has fenced the worker yet. Locks the worker's row. Does not wait for
    /// transactions that only check the lease.
    async fn renew_lease(
        &self,
        worker: WorkerLease,
        lease: Duration,
    ) -> Result<Renewal, StoreError>;

    /// Whether [`Self::renew_lease`], for all workers, may be called on a separate runtime, which renews leases
    /// while the runtime of all other calls is stuck. If so, it must not wait for any other call, not even for one
    /// in progress that nobody polls. `false` by default: leases are renewed on the worker's own runtime, for
    /// example on virtual time.
    fn renews_apart(&self) -> bool {
        false
    }

    /// Removes a worker. Its runs are due at once, without counting a takeover; its attempts of activities count as
    /// interrupted. Does nothing if the worker does not exist.
    ///
    /// Guard: the epoch; the lease may have expired. Locks the worker's row, then its runs, then its activities.
    async fn release_worker(&self, worker: WorkerLease) -> Result<(), StoreError>;

    /// Fences every worker whose lease has expired: increases its epoch, makes its runs due, each with one more
    /// takeover, and counts its attempts of queued activities as interrupted. Returns the workers that this call
    /// has fenced, and the number of runs released; a repeated call returns none.
    ///
    /// Guard: once the row is locked, the lease has expired by the database's clock and the worker is not fenced.
    /// Locks the workers' rows in their order, exclusively, then their runs, then their activities. If no lease has
    /// expired, writes and locks nothing.
    ///
    /// An attempt on a queue that is interrupted for the second time is due again after 1 s, then after twice as
    /// long each time, up to 60 s.
    async fn fence_expired_workers(&self) -> Result<(Vec<WorkerId>, u64), StoreError>;

    /// The workers whose process is known to have ended although their lease has not expired, for example because a
    /// lock that the process held is free. None by default, for stores that cannot tell. Locks no rows; the caller
    /// fences these workers.
    async fn find_dead_workers(&self) -> Result<Vec<WorkerId>, StoreError> {
        Ok(Vec::new())
    }

    /// Fences these workers although their leases have not expired, because they are known to be dead. Returns the
    /// number of runs released; workers that are fenced or removed already count nothing. Guards and locks are
    /// those of [`Self::fence_expired_workers`], except for the lease.
    async fn fence_workers(&self, workers: &[WorkerId]) -> Result<u64, StoreError>;

    /// The workers that have been neither fenced nor released, ordered by id, whether or not their leases have
    /// expired. Locks nothing.
    async fn list_workers(&self) -> Result<Vec<(WorkerLease, NewWorker)>, StoreError>;
}

/// A worker's description of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewWorker {
    /// The name of the machine.
    pub host: String,
    /// The process id on that machine.
    pub pid: u32,
    /// How long the lease is valid after a renewal.
    pub lease: Duration,
}

/// A worker's right to own runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkerLease {
    /// The worker.
    pub worker_id: WorkerId,
    /// Its epoch when the lease was granted.
    pub epoch: Epoch,
}

/// The result of a renewal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Renewal {
    /// The lease is valid until this time of the database's clock.
    Renewed(Timestamp),
    /// The worker has lost its runs and must register anew.
    Fenced,
}
