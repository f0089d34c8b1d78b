//! The status of queues, and pausing them.

use async_trait::async_trait;

use crate::error::StoreError;
use crate::model::Timestamp;
use crate::store::QueueLimits;

/// Queues of activities.
///
/// A queue exists while it has activities. Only a paused queue has a row of its own, and a [partitioned
/// one](super::Partitions).
///
/// The rules common to all methods are documented at [`Store`](super::Store).
#[async_trait]
pub trait Queues: Send + Sync {
    /// Pauses a queue: claims that begin later return none of its activities. Running attempts continue, and the
    /// time limits of waiting activities still apply. If the queue is paused already, the reason is replaced.
    async fn pause_queue(&self, queue: &str, reason: &str) -> Result<(), StoreError>;

    /// Ends the pause of a queue, and notifies workers.
    async fn resume_queue(&self, queue: &str) -> Result<ResumeOutcome, StoreError>;

    /// The queues that have activities, limits or a pause, ordered by name. Reads the row of each queued activity. Locks
    /// nothing.
    async fn list_queues(&self) -> Result<Vec<QueueRecord>, StoreError>;

    /// The queue with this name as [`Queues::list_queues`] lists it; `None` if that does not list it. Reads the row of each
    /// activity on it. Locks nothing.
    async fn find_queue(&self, queue: &str) -> Result<Option<QueueRecord>, StoreError>;
}

/// The result of resuming a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResumeOutcome {
    /// The pause has ended.
    Resumed,
    /// The queue was not paused.
    NotPaused,
}

/// The state of a queue.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct QueueRecord {
    /// Its name.
    pub queue: String,
    /// Number of activities that wait for a worker.
    pub waiting: u64,
    /// Number of activities that wait for the time of their next attempt.
    pub delayed: u64,
    /// Number of attempts that workers are making.
    pub under_way: u64,
    /// Number of attempts that wait for the holder of their token.
    pub awaiting_token: u64,
    /// When the oldest activity that waits for a worker became due.
    pub oldest_due_at: Option<Timestamp>,
    /// Its limits over all workers.
    pub limits: QueueLimits,
    /// Its pause, if it is paused.
    pub paused: Option<PausedQueue>,
}

impl QueueRecord {
    /// Whether the queue is paused and no worker makes an attempt of an activity on it. Attempts that await the holder of
    /// their token need no worker, and do not count.
    ///
    /// A claim that began before the pause may still give activities. On Postgres it may commit after this record was read,
    /// so one record right after the pause does not prove that the queue stays drained.
    pub fn is_drained(&self) -> bool {
        self.paused.is_some() && self.under_way == 0
    }
}

/// The pause of a queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PausedQueue {
    /// When it began, by the database's clock.
    pub since: Timestamp,
    /// Why, for people.
    pub reason: String,
}
