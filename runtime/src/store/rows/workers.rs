//! Workers and their leases.

use sqlx::FromRow;

use crate::error::StoreError;
use crate::model::{Epoch, WorkerId};
use crate::store::{NewWorker, WorkerLease};

/// A worker's description of itself, and its lease.
#[derive(FromRow)]
pub(crate) struct WorkerRow {
    worker_id: i64,
    epoch: i64,
    host: String,
    pid: i64,
    lease_ms: i64,
}

impl TryFrom<WorkerRow> for (WorkerLease, NewWorker) {
    type Error = StoreError;

    fn try_from(row: WorkerRow) -> Result<Self, StoreError> {
        let corrupt = |what: &str| StoreError::Corrupt {
            what: "worker",
            reason: format!("its {what} is out of range"),
        };
        let worker = NewWorker {
            host: row.host,
            pid: u32::try_from(row.pid).map_err(|_| corrupt("process id"))?,
            lease: std::time::Duration::from_millis(
                u64::try_from(row.lease_ms).map_err(|_| corrupt("lease"))?,
            ),
        };
        Ok((WorkerLease { worker_id: WorkerId(row.worker_id), epoch: Epoch(row.epoch) }, worker))
    }
}

/// A worker's right to own runs.
#[cfg(feature = "postgres")]
#[derive(FromRow)]
pub(crate) struct LeaseRow {
    worker_id: i64,
    epoch: i64,
}

#[cfg(feature = "postgres")]
impl From<LeaseRow> for WorkerLease {
    fn from(row: LeaseRow) -> Self {
        Self { worker_id: WorkerId(row.worker_id), epoch: Epoch(row.epoch) }
    }
}

/// The number of milliseconds that stores keep for a lease.
pub(crate) fn lease_ms(lease: std::time::Duration) -> i64 {
    i64::try_from(lease.as_millis()).unwrap_or(i64::MAX)
}

/// A lease in microseconds, limited so that its end is a valid time.
#[cfg(feature = "postgres")]
pub(crate) fn lease_micros(lease: std::time::Duration) -> i64 {
    i64::try_from(lease.as_micros()).unwrap_or(i64::MAX).min(i64::MAX / 4)
}
