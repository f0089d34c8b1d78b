//! For which workflows a worker is there, for timeouts that leave out the time in which none was.

use std::time::Duration;

use async_trait::async_trait;

use crate::error::StoreError;

/// The attendance of workers.
///
/// Each workflow of which a run was started whose terms
/// [go by attendance](crate::model::Terms::goes_by_attendance) has an account: until when a worker with its code is there.
/// It begins with the first such run, at the time of the start. Other workflows have none, and cost nothing.
///
/// What holds for all methods is said at [`Store`](super::Store).
#[async_trait]
pub trait Attendance: Send + Sync {
    /// Says that a worker with the code of these workflows is there, and will be for `hold`. If the account of one ends
    /// before now, nobody was there in between: the deadlines of its open runs whose terms go by attendance move, as
    /// [`Terms::leaving_out`](crate::model::Terms::leaving_out) says, unless they were over before. Accounts and deadlines
    /// change together. Returns how many runs have another deadline.
    ///
    /// Writes nothing for a workflow whose account lasts for more than half of `hold`. Locks the accounts in the order of
    /// the workflows, then the terms of the runs in the order of their ids.
    async fn attend(&self, workflows: &[&str], hold: Duration) -> Result<u64, StoreError>;
}
