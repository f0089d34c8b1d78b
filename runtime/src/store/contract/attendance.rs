//! Attendance: which workflows have a worker, for timeouts that do not count the time without one.

use std::time::Duration;

use async_trait::async_trait;

use crate::error::StoreError;

/// The attendance of workers.
///
/// A workflow has an account of attendance if a run was started whose terms
/// [go by attendance](crate::model::Terms::goes_by_attendance). The account is a time: until then, a worker with the code
/// of the workflow is present. It begins with the first such run, at the time of its start. Other workflows have no
/// account and no cost.
///
/// The rules common to all methods are documented at [`Store`](super::Store).
#[async_trait]
pub trait Attendance: Send + Sync {
    /// Extends the accounts of these workflows: a worker with their code is present now and will be for `hold`. If an
    /// account has ended before now, there was no worker in between. The deadlines of the workflow's open runs that go
    /// by attendance then move by [`Terms::leaving_out`](crate::model::Terms::leaving_out), unless they passed before
    /// the gap. Accounts and deadlines change in one transaction. Returns the number of moved deadlines.
    ///
    /// Writes nothing for a workflow whose account lasts for more than half of `hold`. Locks the accounts in the order of
    /// the workflows, then the terms of the runs in the order of their ids.
    async fn attend(&self, workflows: &[&str], hold: Duration) -> Result<u64, StoreError>;
}
