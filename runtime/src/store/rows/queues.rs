//! Queues, with the numbers of their activities.

use sqlx::FromRow;

use super::LimitsRow;
use crate::model::Timestamp;
use crate::store::{PausedQueue, QueueRecord};

/// The numbers of a group of activities, given the time.
macro_rules! activity_counts {
    ($now:literal) => {
        concat!(
            "count(*) FILTER (WHERE due_at <= ",
            $now,
            ") AS waiting, count(*) FILTER (WHERE due_at > ",
            $now,
            ") AS delayed, count(*) FILTER (WHERE worker_id IS NOT NULL) AS under_way, \
             count(*) FILTER (WHERE worker_id IS NULL AND due_at IS NULL) AS awaiting_token, \
             min(due_at) FILTER (WHERE due_at <= ",
            $now,
            ") AS oldest_due_at"
        )
    };
}
pub(crate) use activity_counts;

/// The same where there may be no activities.
macro_rules! counts_or_none {
    () => {
        "coalesce(waiting, 0) AS waiting, coalesce(delayed, 0) AS delayed, \
         coalesce(under_way, 0) AS under_way, coalesce(awaiting_token, 0) AS awaiting_token, oldest_due_at"
    };
}
pub(crate) use counts_or_none;

/// The numbers of activities on each queue that meets the condition, given the time, with pauses and limits:
/// [`QueueRow`]s.
macro_rules! select_queues {
    ($condition:literal, $now:literal, $($activities:tt)+) => {
        concat!(
            "SELECT coalesce(counted.queue, paused.queue, limited.queue) AS queue, ",
            $crate::store::rows::counts_or_none!(),
            ", paused_at, reason, max_concurrent, partition_concurrent, rate_count, rate_period_ms \
             FROM (SELECT queue, ",
            $crate::store::rows::activity_counts!($now),
            " FROM ",
            $($activities)+,
            " WHERE ",
            $condition,
            " GROUP BY queue) AS counted FULL JOIN (SELECT * FROM piton_paused_queues WHERE ",
            $condition,
            ") AS paused ON paused.queue = counted.queue \
             FULL JOIN (SELECT * FROM piton_partitioned_queues WHERE \
             coalesce(max_concurrent, partition_concurrent, rate_count) IS NOT NULL AND ",
            $condition,
            ") AS limited ON limited.queue = coalesce(counted.queue, paused.queue)"
        )
    };
}
pub(crate) use select_queues;

/// A row of [`select_queues`].
#[derive(FromRow)]
pub(crate) struct QueueRow {
    queue: String,
    waiting: i64,
    delayed: i64,
    under_way: i64,
    awaiting_token: i64,
    oldest_due_at: Option<i64>,
    paused_at: Option<i64>,
    reason: Option<String>,
    #[sqlx(flatten)]
    limits: LimitsRow,
}

/// The records of the rows, ordered by the bytes of the names, whatever the database's collation.
pub(crate) fn queue_records(rows: Vec<QueueRow>) -> Vec<QueueRecord> {
    let mut records: Vec<QueueRecord> = rows.into_iter().map(Into::into).collect();
    records.sort_unstable_by(|one, other| one.queue.cmp(&other.queue));
    records
}

impl From<QueueRow> for QueueRecord {
    fn from(row: QueueRow) -> Self {
        let count = |count: i64| count.unsigned_abs();
        let paused = row.paused_at.zip(row.reason);
        Self {
            queue: row.queue,
            waiting: count(row.waiting),
            delayed: count(row.delayed),
            under_way: count(row.under_way),
            awaiting_token: count(row.awaiting_token),
            oldest_due_at: row.oldest_due_at.map(Timestamp),
            limits: row.limits.into(),
            paused: paused.map(|(since, reason)| PausedQueue { since: Timestamp(since), reason }),
        }
    }
}
