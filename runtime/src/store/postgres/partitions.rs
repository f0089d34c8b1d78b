//! Limits of queues, and weights and status of their partitions.

use async_trait::async_trait;

use super::transaction::Transaction;
use super::{PostgresStore, failed, now};
use crate::error::StoreError;
use crate::store::rows::{LimitsRow, PartitionRow, select_partitions};
use crate::store::{PartitionRecord, Partitions, QueueLimits};

const LIMIT: &str = "INSERT INTO piton_partitioned_queues \
    (queue, max_concurrent, partition_concurrent, rate_count, rate_period_ms) VALUES ($1, $2, $3, $4, $5) \
    ON CONFLICT (queue) DO UPDATE SET max_concurrent = excluded.max_concurrent, \
    partition_concurrent = excluded.partition_concurrent, rate_count = excluded.rate_count, \
    rate_period_ms = excluded.rate_period_ms";

const PARTITIONED: &str =
    "INSERT INTO piton_partitioned_queues (queue) VALUES ($1) ON CONFLICT (queue) DO NOTHING";

const WEIGH: &str = "INSERT INTO piton_partitions (queue, partition, weight) VALUES ($1, $2, $3) \
    ON CONFLICT (queue, partition) DO UPDATE SET weight = excluded.weight";

const LIST: &str = concat!(
    select_partitions!("clock.now", "$2", now!(), " AS clock, piton_activities"),
    " WHERE $3::text IS NULL OR coalesce(counted.partition, weighed.partition) > $3 ORDER BY 1 LIMIT $4"
);

#[async_trait]
impl Partitions for PostgresStore {
    async fn limit_queue(&self, queue: &str, limits: QueueLimits) -> Result<(), StoreError> {
        self.asked("limit_queue", limit(self, queue, limits)).await
    }

    async fn weigh_partition(
        &self,
        queue: &str,
        partition: &str,
        weight: u32,
    ) -> Result<(), StoreError> {
        self.asked("weigh_partition", weigh(self, queue, partition, weight)).await
    }

    async fn list_partitions(
        &self,
        queue: &str,
        after: Option<&str>,
        limit: u32,
    ) -> Result<Vec<PartitionRecord>, StoreError> {
        self.asked("list_partitions", list(self, queue, after, limit)).await
    }
}

async fn limit(store: &PostgresStore, queue: &str, limits: QueueLimits) -> Result<(), StoreError> {
    let failed = failed("limit_queue");
    let mut transaction = Transaction::begin_in(&store.calls).await.map_err(failed)?;
    let limits = LimitsRow::of(&limits);
    sqlx::query(LIMIT)
        .bind(queue)
        .bind(limits.max_concurrent)
        .bind(limits.partition_concurrent)
        .bind(limits.rate_count)
        .bind(limits.rate_period_ms)
        .execute(transaction.get())
        .await
        .map_err(failed)?;
    transaction.commit().await.map_err(failed)?;
    store.news.queued(queue);
    Ok(())
}

async fn weigh(
    store: &PostgresStore,
    queue: &str,
    partition: &str,
    weight: u32,
) -> Result<(), StoreError> {
    let failed = failed("weigh_partition");
    let mut transaction = Transaction::begin_in(&store.calls).await.map_err(failed)?;
    sqlx::query(PARTITIONED).bind(queue).execute(transaction.get()).await.map_err(failed)?;
    let weigh = sqlx::query(WEIGH).bind(queue).bind(partition).bind(i64::from(weight));
    weigh.execute(transaction.get()).await.map_err(failed)?;
    transaction.commit().await.map_err(failed)
}

async fn list(
    store: &PostgresStore,
    queue: &str,
    after: Option<&str>,
    limit: u32,
) -> Result<Vec<PartitionRecord>, StoreError> {
    let failed = failed("list_partitions");
    let mut lane = store.pool.lane().await.map_err(failed)?;
    let rows: Vec<PartitionRow> = sqlx::query_as(LIST)
        .bind(store.given_time())
        .bind(queue)
        .bind(after)
        .bind(i64::from(limit))
        .fetch_all(lane.get())
        .await
        .map_err(failed)?;
    lane.done();
    Ok(rows.into_iter().map(Into::into).collect())
}
