//! Limits of queues, and weights and status of their partitions.

use async_trait::async_trait;

use super::script::Script;
use super::{SqliteStore, failed};
use crate::error::StoreError;
use crate::store::rows::{LimitsRow, PartitionRow, select_partitions};
use crate::store::{PartitionRecord, Partitions, QueueLimits};

const LIMIT: &str = "INSERT INTO piton_partitioned_queues \
    (queue, max_concurrent, partition_concurrent, rate_count, rate_period_ms) VALUES (?, ?, ?, ?, ?) \
    ON CONFLICT (queue) DO UPDATE SET max_concurrent = excluded.max_concurrent, \
    partition_concurrent = excluded.partition_concurrent, rate_count = excluded.rate_count, \
    rate_period_ms = excluded.rate_period_ms";

const WEIGH: &str = "INSERT INTO piton_partitions (queue, partition, weight) VALUES (?, ?, ?) \
    ON CONFLICT (queue, partition) DO UPDATE SET weight = excluded.weight; COMMIT";

const LIST: &str = concat!(
    select_partitions!("?1", "?2", "piton_activities"),
    " WHERE ?3 IS NULL OR coalesce(counted.partition, weighed.partition) > ?3 ORDER BY 1 LIMIT ?4"
);

#[async_trait]
impl Partitions for SqliteStore {
    async fn limit_queue(&self, queue: &str, limits: QueueLimits) -> Result<(), StoreError> {
        let limits = LimitsRow::of(&limits);
        let mut script = Script::new();
        script.sql(LIMIT).bind(queue.to_owned());
        script.bind(limits.max_concurrent).bind(limits.partition_concurrent);
        script.bind(limits.rate_count).bind(limits.rate_period_ms);
        self.turn().await.run(script).await.map_err(failed("limit_queue"))?;
        self.hub.announce_queued(queue);
        Ok(())
    }

    async fn weigh_partition(
        &self,
        queue: &str,
        partition: &str,
        weight: u32,
    ) -> Result<(), StoreError> {
        let mut script = Script::new();
        script.sql("BEGIN IMMEDIATE; ");
        script.sql(super::effects::enqueue::PARTITIONED).bind(queue.to_owned());
        script.sql(WEIGH).bind(queue.to_owned()).bind(partition.to_owned()).bind(weight);
        self.turn().await.transact(script).await.map_err(failed("weigh_partition"))?;
        Ok(())
    }

    async fn list_partitions(
        &self,
        queue: &str,
        after: Option<&str>,
        limit: u32,
    ) -> Result<Vec<PartitionRecord>, StoreError> {
        let mut script = Script::new();
        script.sql(LIST).bind(self.time().as_micros()).bind(queue.to_owned());
        script.bind(after.map(str::to_owned)).bind(limit);
        let rows = self.read(script).await.and_then(|mut rows| rows.read::<PartitionRow>(0));
        let rows = rows.map_err(failed("list_partitions"))?;
        Ok(rows.into_iter().map(Into::into).collect())
    }
}
