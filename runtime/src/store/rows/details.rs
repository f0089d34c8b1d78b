//! All rows of one run.

use sqlx::FromRow;

use super::{RunRow, read_arrival};
use crate::error::StoreError;
use crate::model::{AttemptFailure, Handle, Payload, Timestamp, WorkerId};
use crate::store::{Pause, QueuedActivity, RunDetails, UnreadArrival};

/// The run's row, including columns that its [record](RunRow) does not have.
#[derive(FromRow)]
pub(crate) struct DetailsRow {
    #[sqlx(flatten)]
    run: RunRow,
    arguments: Option<Vec<u8>>,
    snapshot: Vec<u8>,
    takeovers: i64,
    paused_at: Option<i64>,
    paused_by: Option<String>,
    pause_reason: Option<String>,
}

/// The columns of a [`QueuedActivity`], selected under these names.
macro_rules! queued_columns {
    () => {
        "handle, queue, activity, attempt, interruptions, worker_id, due_at, expires_at, failed_attempt, \
         failure"
    };
}
pub(crate) use queued_columns;

/// See [`queued_columns`]; also the number of activities of the run.
#[derive(FromRow)]
pub(crate) struct QueuedRow {
    handle: i64,
    queue: String,
    activity: String,
    attempt: i64,
    interruptions: i64,
    worker_id: Option<i64>,
    due_at: Option<i64>,
    expires_at: Option<i64>,
    failed_attempt: Option<i64>,
    failure: Option<String>,
    total: i64,
}

/// An arrival with its size, null if it does not fit in the response, and the number of arrivals.
#[derive(FromRow)]
pub(crate) struct UnreadRow {
    seq: i64,
    arrival: Option<Vec<u8>>,
    bytes: i64,
    arrived_at: Option<i64>,
    total: i64,
}

fn count(count: i64) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

impl From<QueuedRow> for QueuedActivity {
    fn from(row: QueuedRow) -> Self {
        let failure = row.failed_attempt.zip(row.failure);
        Self {
            handle: Handle(row.handle.unsigned_abs()),
            queue: row.queue,
            activity: row.activity,
            attempt: count(row.attempt),
            interruptions: count(row.interruptions),
            worker: row.worker_id.map(WorkerId),
            due_at: row.due_at.map(Timestamp),
            expires_at: row.expires_at.map(Timestamp),
            last_failure: failure
                .map(|(attempt, error)| AttemptFailure { attempt: count(attempt), error }),
        }
    }
}

impl From<UnreadRow> for UnreadArrival {
    fn from(row: UnreadRow) -> Self {
        let arrival = row.arrival.map(read_arrival);
        let arrived_at = row.arrived_at.map(Timestamp);
        Self::of(row.seq, arrival, row.bytes.unsigned_abs(), arrived_at)
    }
}

/// Combines the rows that were read at one moment.
pub(crate) fn read_details(
    run: DetailsRow,
    activities: Vec<QueuedRow>,
    unread: Vec<UnreadRow>,
) -> Result<RunDetails, StoreError> {
    let paused = run.paused_at.zip(run.paused_by).zip(run.pause_reason);
    Ok(RunDetails {
        run: run.run.try_into()?,
        paused: paused.map(|((at, by), reason)| Pause { at: Timestamp(at), by, reason }),
        arguments: run.arguments.map(Payload),
        snapshot: run.snapshot,
        takeovers: count(run.takeovers),
        activity_count: activities.first().map_or(0, |row| row.total.unsigned_abs()),
        activities: activities.into_iter().map(Into::into).collect(),
        unread_count: unread.first().map_or(0, |row| row.total.unsigned_abs()),
        unread: unread.into_iter().map(Into::into).collect(),
    })
}
