//! Partitions of queues: their limits, their weights and their status.

use std::time::Duration;

use async_trait::async_trait;

use crate::error::StoreError;
use crate::model::Timestamp;

/// Partitions of queues.
///
/// A queue is *partitioned* from the first call that names a partition, or the first limit, on. Its calls without a
/// partition are then one more partition, with the empty name. [Claims](super::Activities::claim_activities) take
/// from its partitions in turn, in the order of their names: from each as many as its weight says, less if fewer are
/// due or a limit keeps them back. Within a partition, priorities and due times decide. Claims of one partitioned
/// queue follow each other, so no limit is exceeded, except by a claim that began before the limit was set. Other
/// queues are claimed without regard to this.
///
/// An attempt counts toward a limit while a worker makes it: until it ends, is given up, or its worker is fenced or
/// released. It does not count while it waits for its token.
///
/// The rules common to all methods are documented at [`Store`](super::Store).
#[async_trait]
pub trait Partitions: Send + Sync {
    /// Sets the limits of a queue, in place of earlier ones, and notifies workers. Attempts that are under way
    /// continue, even if they are more than a limit allows.
    async fn limit_queue(&self, queue: &str, limits: QueueLimits) -> Result<(), StoreError>;

    /// Sets the weight of a partition: how many of its calls are taken in its turn. The queue becomes partitioned.
    async fn weigh_partition(
        &self,
        queue: &str,
        partition: &str,
        weight: u32,
    ) -> Result<(), StoreError>;

    /// The partitions of a queue that have activities or a weight other than 1, in the order of the bytes of their
    /// names, those behind `after` and at most `limit`. Reads the row of each activity on the queue. Locks nothing.
    async fn list_partitions(
        &self,
        queue: &str,
        after: Option<&str>,
        limit: u32,
    ) -> Result<Vec<PartitionRecord>, StoreError>;
}

/// The limits of a queue over all workers; `None` means no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct QueueLimits {
    /// How many attempts may be under way.
    pub max_concurrent: Option<u32>,
    /// How many attempts may be under way in each partition.
    pub partition_concurrent: Option<u32>,
    /// How many attempts may begin in each partition.
    pub partition_rate: Option<Rate>,
}

/// A number of attempts per period, on average: a token bucket that holds the attempts of one period, and is full at
/// first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    /// The number.
    pub count: u32,
    /// The period, in milliseconds rounded up.
    pub period: Duration,
}

impl QueueLimits {
    /// Limits how many attempts may be under way.
    ///
    /// # Panics
    /// If `limit` is 0.
    #[must_use]
    pub fn max_concurrent(mut self, limit: u32) -> Self {
        assert!(limit > 0, "a limit must allow an attempt; to allow none, pause the queue");
        self.max_concurrent = Some(limit);
        self
    }

    /// Limits how many attempts may be under way in each partition.
    ///
    /// # Panics
    /// If `limit` is 0.
    #[must_use]
    pub fn partition_concurrent(mut self, limit: u32) -> Self {
        assert!(limit > 0, "a limit must allow an attempt; to allow none, pause the queue");
        self.partition_concurrent = Some(limit);
        self
    }

    /// Limits how many attempts may begin in each partition, per period on average. After a pause, those of one
    /// period may begin at once.
    ///
    /// # Panics
    /// If `count` is 0, or the period is 0 or longer than a year.
    #[must_use]
    pub fn partition_rate(mut self, count: u32, period: Duration) -> Self {
        const LONGEST: Duration = Duration::from_secs(365 * 86_400);
        assert!(count > 0, "a rate must allow an attempt; to allow none, pause the queue");
        assert!(!period.is_zero() && period <= LONGEST, "a period is between 1 ms and a year");
        self.partition_rate = Some(Rate { count, period });
        self
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// The state of a partition.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PartitionRecord {
    /// Its name; empty for the calls that name none.
    pub partition: String,
    /// How many of its calls are taken in its turn.
    pub weight: u32,
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
}

impl PartitionRecord {
    /// A partition without activities.
    pub(crate) fn new(partition: String) -> Self {
        Self {
            partition,
            weight: 1,
            waiting: 0,
            delayed: 0,
            under_way: 0,
            awaiting_token: 0,
            oldest_due_at: None,
        }
    }
}
