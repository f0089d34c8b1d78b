//! Calls on queues that have failed for good.

use std::time::Duration;

use sqlx::FromRow;
use uuid::Uuid;

use super::activities::count;
use crate::model::Timestamp;
use crate::store::ends::key;
use crate::store::{FailedCall, FailedCallId};

/// The columns of a [`FailedCallRow`], to be selected by these names.
macro_rules! failed_call_columns {
    () => {
        "call_id, run_id, handle, queue, activity, call, attempts, failure, failed_at, item_key, retention_ms, \
         priority, partition"
    };
}
pub(crate) use failed_call_columns;

/// See [`failed_call_columns`].
#[derive(FromRow)]
pub(crate) struct FailedCallRow {
    call_id: i64,
    run_id: Uuid,
    handle: i64,
    queue: String,
    activity: String,
    call: Vec<u8>,
    attempts: i64,
    failure: String,
    failed_at: i64,
    item_key: Option<String>,
    retention_ms: Option<i64>,
    priority: i16,
    partition: String,
}

impl From<FailedCallRow> for FailedCall {
    fn from(row: FailedCallRow) -> Self {
        let retention = row.retention_ms.map(|ms| Duration::from_millis(ms.unsigned_abs()));
        Self {
            id: FailedCallId(row.call_id),
            key: key(row.run_id, row.handle),
            queue: row.queue,
            activity: row.activity,
            call: row.call,
            attempts: count(row.attempts),
            failure: row.failure,
            failed_at: Timestamp(row.failed_at),
            priority: row.priority,
            partition: row.partition,
            item: row.item_key.zip(retention),
        }
    }
}
