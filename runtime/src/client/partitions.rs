//! Partitions of queues: limits that hold over all workers, weights, and the status of each partition.

use super::queues::QueueHandle;
use crate::engine::backoff::patiently;
use crate::error::{KeyError, StoreError};
use crate::store::{PartitionRecord, QueueLimits};

impl QueueHandle<'_> {
    /// Sets limits of the queue that hold over all workers, in place of those that it has; the default has none.
    ///
    /// The limits are kept in the database. A lower limit stops no attempt that is under way: none begins until there
    /// are fewer than it allows. The attempts of a worker that has died count until its lease has expired and another
    /// worker has noticed. Attempts that await the holder of their token do not count. A claim that began before the
    /// queue had its first limit may exceed it.
    ///
    /// With limits or partitions, claims from the queue follow each other and take a few statements more. The queue
    /// stays so after its limits are removed.
    ///
    /// Calling it again is safe, also after a call that was cancelled.
    ///
    /// ```
    /// # async fn demo(client: piton::client::Client) -> Result<(), piton::error::StoreError> {
    /// use std::time::Duration;
    ///
    /// use piton::store::QueueLimits;
    ///
    /// let limits = QueueLimits::default()
    ///     .max_concurrent(100)
    ///     .partition_concurrent(2)
    ///     .partition_rate(60, Duration::from_secs(60));
    /// client.queue("email").limit(limits).await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`StoreError::QueueName`] if no worker can serve a queue of this name, and those of
    /// [`Client::find`](super::Client::find).
    pub async fn limit(&self, limits: QueueLimits) -> Result<(), StoreError> {
        self.check_name()?;
        patiently(|| self.client.store().limit_queue(&self.name, limits)).await
    }

    /// Sets the weight of a partition: how many of its calls are taken each time it has its turn. Default: 1. The empty
    /// name is that of the calls without a partition. The weight is kept in the database, whether or not calls wait.
    ///
    /// Calling it again is safe, also after a call that was cancelled.
    ///
    /// # Errors
    /// [`StoreError::PartitionName`] and [`StoreError::QueueName`] for a name that is longer than 1,000 bytes or contains
    /// the character NUL, and those of [`Client::find`](super::Client::find).
    ///
    /// # Panics
    /// If the weight is 0.
    pub async fn weigh(&self, partition: &str, weight: u32) -> Result<(), StoreError> {
        assert!(weight > 0, "the weight of a partition must be at least 1");
        self.check_name()?;
        if !partition.is_empty() {
            KeyError::check(partition).map_err(|reason| {
                let partition = partition.chars().take(40).collect();
                StoreError::PartitionName { partition, reason }
            })?;
        }
        patiently(|| self.client.store().weigh_partition(&self.name, partition, weight)).await
    }

    /// The partitions of the queue that have activities or a weight other than 1, in the order of the bytes of their
    /// names, at most `limit`. With `after`, only those behind it. Counts the activities of the queue one by one.
    ///
    /// # Errors
    /// See [`Client::find`](super::Client::find).
    pub async fn partitions(
        &self,
        after: Option<&str>,
        limit: u32,
    ) -> Result<Vec<PartitionRecord>, StoreError> {
        patiently(|| self.client.store().list_partitions(&self.name, after, limit)).await
    }
}
