//! Workers and their leases, which give the right to own runs.

use std::time::Duration;

use async_trait::async_trait;

use crate::error::StoreError;
use crate::model::{Epoch, Timestamp, WorkerId};

/// Workers and their leases.
///
/// What holds for all methods is said at [`Store`](super::Store).
#[async_trait]
pub trait Workers: Send + Sync {
    /// Adds a worker with a fresh lease, under an id that no worker has had. Each call adds another: if
    /// the answer is lost, a worker is left whose lease runs out. May forget workers that were fenced long
    /// ago.
    async fn register_worker(&self, worker: NewWorker) -> Result<WorkerLease, StoreError>;

    /// Extends a lease to `lease` from now.
    ///
    /// Guard: the lease is valid, or else [`Renewal::Fenced`] and nothing is written: a lease that has run
    /// out does not come back, though nobody has fenced the worker yet. Locks the worker's row, and waits
    /// for nobody who only relies on it.
    async fn renew_lease(
        &self,
        worker: WorkerLease,
        lease: Duration,
    ) -> Result<Renewal, StoreError>;

    /// Whether [`Self::renew_lease`] may be called, for all workers, on a runtime of its own, where leases
    /// are kept while those who make all other calls stand still. So it must not wait for any of them, not
    /// even for one that is under way and that nobody polls. By default it may not: leases are renewed
    /// where the worker is, on virtual time for example.
    fn renews_apart(&self) -> bool {
        false
    }

    /// Removes a worker; what it still owned is due at once, without counting as a takeover; the
    /// attempts of activities that it was making count as interrupted. Removing a worker that is gone
    /// does nothing.
    ///
    /// Guard: the epoch; the lease may have run out. Locks the worker's row, then its runs, then its
    /// activities.
    async fn release_worker(&self, worker: WorkerLease) -> Result<(), StoreError>;

    /// Fences every worker whose lease has run out: raises its epoch and makes its runs due, each
    /// counting one more takeover, and its attempts of activities on queues interruptions. Returns
    /// the workers fenced by this call and the number of runs let go; asked again, nobody.
    ///
    /// Guard: the lease has run out by the database's clock once the row is locked, and nobody has fenced
    /// the worker. Locks the workers' rows in their order against everybody who relies on them, then their
    /// runs, then their activities. Writes and locks nothing where no lease has run out.
    ///
    /// An attempt on a queue that is cut off a second time is due again after 1 s, then twice as long each time, 60 s
    /// at most.
    async fn fence_expired_workers(&self) -> Result<(Vec<WorkerId>, u64), StoreError>;

    /// The workers whose process is known to have ended although their lease has not run out, as far
    /// as this store can tell; for example because a lock that the process held is free again. By
    /// default none: the lease then tells. Locks no rows; whoever is named is to be fenced.
    async fn find_dead_workers(&self) -> Result<Vec<WorkerId>, StoreError> {
        Ok(Vec::new())
    }

    /// Fences these workers although their lease has not run out, because they are known to be
    /// dead. Returns the number of runs let go; those who have been fenced or are gone count nothing.
    /// Guards and locks are those of [`Self::fence_expired_workers`], but for the lease.
    async fn fence_workers(&self, workers: &[WorkerId]) -> Result<u64, StoreError>;

    /// The workers that have been neither fenced nor released, with what they said of themselves, in
    /// the order of their ids, whether or not their leases have run out. Locks nothing.
    async fn list_workers(&self) -> Result<Vec<(WorkerLease, NewWorker)>, StoreError>;
}

/// What a worker says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewWorker {
    /// The name of the machine.
    pub host: String,
    /// The process id there.
    pub pid: u32,
    /// How long the worker may go without a renewal.
    pub lease: Duration,
}

/// A worker's right to own runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkerLease {
    /// The worker.
    pub worker_id: WorkerId,
    /// Its epoch when the lease was given.
    pub epoch: Epoch,
}

/// What became of a renewal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Renewal {
    /// The lease is valid until this time of the database's clock.
    Renewed(Timestamp),
    /// The worker has lost its runs and must register anew.
    Fenced,
}
