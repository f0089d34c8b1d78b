//! Queues, with the numbers of their activities.

use sqlx::FromRow;

use crate::model::Timestamp;
use crate::store::{PausedQueue, QueueRecord};

/// The numbers of activities on each queue, given the time, and pauses: [`QueueRow`]s.
macro_rules! select_queues {
    ($now:literal, $($activities:tt)+) => {
        concat!(
            "SELECT coalesce(counted.queue, paused.queue) AS queue, \
             coalesce(waiting, 0) AS waiting, coalesce(delayed, 0) AS delayed, \
             coalesce(under_way, 0) AS under_way, coalesce(awaiting_token, 0) AS awaiting_token, \
             oldest_due_at, paused_at, reason FROM (SELECT queue, \
             count(*) FILTER (WHERE due_at <= ",
            $now,
            ") AS waiting, count(*) FILTER (WHERE due_at > ",
            $now,
            ") AS delayed, count(*) FILTER (WHERE worker_id IS NOT NULL) AS under_way, \
             count(*) FILTER (WHERE worker_id IS NULL AND due_at IS NULL) AS awaiting_token, \
             min(due_at) FILTER (WHERE due_at <= ",
            $now,
            ") AS oldest_due_at FROM ",
            $($activities)+,
            " GROUP BY queue) AS counted \
             FULL JOIN piton_paused_queues AS paused ON paused.queue = counted.queue"
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
            paused: paused.map(|(since, reason)| PausedQueue { since: Timestamp(since), reason }),
        }
    }
}
