//! The status of queues, and pausing them.

use async_trait::async_trait;

use crate::error::StoreError;
use crate::model::Timestamp;

/// Queues of activities.
///
/// A queue needs no row: it is there while activities lie on it. Only one that is paused has a row.
///
/// What holds for all methods is said at [`Store`](super::Store).
#[async_trait]
pub trait Queues: Send + Sync {
    /// Pauses a queue: no claim that begins later gives an activity of it. Attempts that are under way go on, and the
    /// time limits of activities that wait run on. Of a queue that is paused already the reason is replaced.
    async fn pause_queue(&self, queue: &str, reason: &str) -> Result<(), StoreError>;

    /// Ends the pause of a queue, and announces the queue.
    async fn resume_queue(&self, queue: &str) -> Result<ResumeOutcome, StoreError>;

    /// The queues on which an activity lies or that are paused, in the order of their names. Reads the row of each
    /// activity on a queue, and locks nothing.
    async fn list_queues(&self) -> Result<Vec<QueueRecord>, StoreError>;
}

/// What has become of the pause of a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResumeOutcome {
    /// It is over.
    Resumed,
    /// There was none.
    NotPaused,
}

/// What is known of a queue.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct QueueRecord {
    /// Its name.
    pub queue: String,
    /// How many activities wait for a worker.
    pub waiting: u64,
    /// How many wait for the time of their next attempt.
    pub delayed: u64,
    /// How many attempts workers are making.
    pub under_way: u64,
    /// How many attempts await the holder of their token.
    pub awaiting_token: u64,
    /// Since when the oldest activity that waits for a worker has been due.
    pub oldest_due_at: Option<Timestamp>,
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
    /// Since when, by the database's clock.
    pub since: Timestamp,
    /// Why, for people.
    pub reason: String,
}
