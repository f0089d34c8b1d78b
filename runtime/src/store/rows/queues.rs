//! Queues, with how much lies on each.

use sqlx::FromRow;

use crate::model::Timestamp;
use crate::store::{PausedQueue, QueueRecord};

/// The columns of a [`QueueRecord`], to be selected by these names.
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

/// The records of rows, in the order of the names' bytes, whatever the collation of the database is.
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
