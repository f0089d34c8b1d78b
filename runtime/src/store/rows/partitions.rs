//! Partitioned queues and their partitions.

use std::cmp::Reverse;
use std::time::Duration;

use sqlx::FromRow;
use uuid::Uuid;

use crate::model::Timestamp;
use crate::store::turns::{Partitioned, Turn, UnderWay, Waiting};
use crate::store::{PartitionRecord, QueueLimits, Rate};

/// The columns of a [`PartitionedRow`].
macro_rules! partitioned_columns {
    () => {
        "max_concurrent, partition_concurrent, rate_count, rate_period_ms, turn, taken"
    };
}
pub(crate) use partitioned_columns;

/// The limits of a queue, and whose turn it is.
#[derive(FromRow)]
pub(crate) struct PartitionedRow {
    #[sqlx(flatten)]
    limits: LimitsRow,
    turn: String,
    taken: i64,
}

/// The limits of a queue as columns.
#[derive(FromRow)]
pub(crate) struct LimitsRow {
    pub(crate) max_concurrent: Option<i64>,
    pub(crate) partition_concurrent: Option<i64>,
    pub(crate) rate_count: Option<i64>,
    pub(crate) rate_period_ms: Option<i64>,
}

/// The number of attempts under way in a partition.
#[derive(FromRow)]
pub(crate) struct UnderWayRow {
    partition: String,
    under_way: i64,
}

/// A partition with a due call.
#[derive(FromRow)]
pub(crate) struct WaitingRow {
    partition: String,
    weight: i64,
    full_at: Option<i64>,
}

/// A due call of a partition, and the size of what a claim returns of it.
#[derive(FromRow)]
pub(crate) struct CandidateRow {
    pub(crate) partition: String,
    pub(crate) run_id: Uuid,
    pub(crate) handle: i64,
    pub(crate) activity: String,
    pub(crate) bytes: i64,
    priority: i16,
    due_at: i64,
}

impl CandidateRow {
    /// Its place among the calls of its partition.
    pub(crate) fn place(&self) -> (Reverse<i16>, i64, Uuid, i64) {
        (Reverse(self.priority), self.due_at, self.run_id, self.handle)
    }
}

/// The numbers of activities in each partition of a queue, given the time, and weights: [`PartitionRow`]s.
macro_rules! select_partitions {
    ($now:literal, $queue:literal, $($activities:tt)+) => {
        concat!(
            "SELECT coalesce(counted.partition, weighed.partition) AS partition, coalesce(weight, 1) AS weight, ",
            $crate::store::rows::counts_or_none!(),
            " FROM (SELECT partition, ",
            $crate::store::rows::activity_counts!($now),
            " FROM ",
            $($activities)+,
            " WHERE queue = ",
            $queue,
            " GROUP BY partition) AS counted FULL JOIN (SELECT partition, weight FROM piton_partitions WHERE queue = ",
            $queue,
            " AND weight <> 1) AS weighed ON weighed.partition = counted.partition"
        )
    };
}
pub(crate) use select_partitions;

/// The state of a partition.
#[derive(FromRow)]
pub(crate) struct PartitionRow {
    partition: String,
    weight: i64,
    waiting: i64,
    delayed: i64,
    under_way: i64,
    awaiting_token: i64,
    oldest_due_at: Option<i64>,
}

fn number(column: i64) -> u32 {
    u32::try_from(column).unwrap_or(u32::MAX)
}

impl LimitsRow {
    pub(crate) fn of(limits: &QueueLimits) -> Self {
        let rate = limits.partition_rate;
        Self {
            max_concurrent: limits.max_concurrent.map(i64::from),
            partition_concurrent: limits.partition_concurrent.map(i64::from),
            rate_count: rate.map(|rate| i64::from(rate.count)),
            rate_period_ms: rate
                .map(|rate| crate::store::contract::activities::limit_ms(rate.period)),
        }
    }
}

impl From<LimitsRow> for QueueLimits {
    fn from(row: LimitsRow) -> Self {
        let rate = row.rate_count.zip(row.rate_period_ms).map(|(count, period)| Rate {
            count: number(count),
            period: Duration::from_millis(period.unsigned_abs()),
        });
        Self {
            max_concurrent: row.max_concurrent.map(number),
            partition_concurrent: row.partition_concurrent.map(number),
            partition_rate: rate,
        }
    }
}

impl From<PartitionedRow> for Partitioned {
    fn from(row: PartitionedRow) -> Self {
        let turn = Turn { partition: row.turn, taken: number(row.taken) };
        Self { limits: row.limits.into(), turn }
    }
}

impl From<Vec<UnderWayRow>> for UnderWay {
    fn from(rows: Vec<UnderWayRow>) -> Self {
        Self(rows.into_iter().map(|row| (row.partition, number(row.under_way))).collect())
    }
}

impl From<WaitingRow> for Waiting {
    fn from(row: WaitingRow) -> Self {
        let full_at = row.full_at.map(Timestamp);
        Self { partition: row.partition, weight: number(row.weight), full_at }
    }
}

impl From<PartitionRow> for PartitionRecord {
    fn from(row: PartitionRow) -> Self {
        Self {
            partition: row.partition,
            weight: number(row.weight),
            waiting: row.waiting.unsigned_abs(),
            delayed: row.delayed.unsigned_abs(),
            under_way: row.under_way.unsigned_abs(),
            awaiting_token: row.awaiting_token.unsigned_abs(),
            oldest_due_at: row.oldest_due_at.map(Timestamp),
        }
    }
}
