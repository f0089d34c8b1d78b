//! Activities on queues.

use std::collections::HashSet;

use sqlx::FromRow;
use uuid::Uuid;

use crate::machine::TimeoutKind;
use crate::model::{AttemptFailure, Epoch, Payload, Timestamp, WorkerId};
use crate::store::ends::key;
use crate::store::weight::Answer;
use crate::store::{
    ActivityKey, ActivityRecord, ClaimedActivity, ExpiredActivity, ReviewedActivities, WorkerLease,
};

/// An activity that a run drops, and whether an attempt of it is running.
#[derive(FromRow)]
pub(crate) struct GivenUpRow {
    run_id: Uuid,
    handle: i64,
    is_made: bool,
}

/// The activities with a running attempt.
pub(crate) fn being_made(rows: Vec<GivenUpRow>) -> impl Iterator<Item = ActivityKey> {
    rows.into_iter().filter(|row| row.is_made).map(|row| key(row.run_id, row.handle))
}

/// The columns of a [`ClaimedActivityRow`], under their own names.
macro_rules! claimed_activity_columns {
    () => {
        "run_id, handle, queue, activity, attempt, interruptions, call, details"
    };
}
pub(crate) use claimed_activity_columns;

/// The columns of a [`ClaimedActivity`], selected under these names.
#[derive(FromRow)]
pub(crate) struct ClaimedActivityRow {
    run_id: Uuid,
    handle: i64,
    queue: String,
    activity: String,
    attempt: i64,
    interruptions: i64,
    call: Vec<u8>,
    details: Option<Vec<u8>>,
}

impl From<ClaimedActivityRow> for ClaimedActivity {
    fn from(row: ClaimedActivityRow) -> Self {
        Self {
            key: key(row.run_id, row.handle),
            queue: row.queue,
            activity: row.activity,
            attempt: count(row.attempt),
            interruptions: count(row.interruptions),
            call: row.call,
            details: row.details.map(Payload),
        }
    }
}

/// An attempt of a worker, with the size of its call and details.
#[derive(FromRow)]
pub(crate) struct HeldRow {
    run_id: Uuid,
    handle: i64,
    attempt: i64,
    bytes: i64,
}

/// Compares the attempts of a worker in the database with those it knows of: the lost ones, and the keys of the
/// strays that fit in the response, in order.
pub(crate) fn review(
    rows: Vec<HeldRow>,
    held: &[(ActivityKey, u32)],
) -> (ReviewedActivities, Vec<ActivityKey>) {
    let attempt = |row: &HeldRow| (key(row.run_id, row.handle), count(row.attempt));
    let owned: HashSet<_> = rows.iter().map(attempt).collect();
    let known: HashSet<_> = held.iter().copied().collect();
    let lost = held.iter().filter(|held| !owned.contains(*held)).map(|(key, _)| *key).collect();
    let strays = rows.iter().filter(|row| !known.contains(&attempt(row)));
    let mut strays: Vec<_> = strays.map(|row| (attempt(row).0, row.bytes)).collect();
    strays.sort_unstable();
    let mut answer = Answer::default();
    let bytes = |bytes: &i64| usize::try_from(*bytes).unwrap_or(usize::MAX);
    let fitting = strays.iter().take_while(|(_, length)| answer.takes(bytes(length)));
    let fitting: Vec<_> = fitting.map(|(key, _)| *key).collect();
    let has_more = fitting.len() < strays.len();
    (ReviewedActivities { lost, strays: Vec::new(), has_more }, fitting)
}

/// The columns of an [`ExpiredActivity`], selected under these names.
#[derive(FromRow)]
pub(crate) struct ExpiredRow {
    run_id: Uuid,
    handle: i64,
    attempt: i64,
    interruptions: i64,
    due_at: Option<i64>,
    end_by: Option<i64>,
    close_by: Option<i64>,
    call: Vec<u8>,
    now: i64,
}

impl From<ExpiredRow> for ExpiredActivity {
    fn from(row: ExpiredRow) -> Self {
        let is_over = |at: Option<i64>| at.is_some_and(|at| at <= row.now);
        Self {
            key: key(row.run_id, row.handle),
            attempt: count(row.attempt),
            interruptions: count(row.interruptions),
            limit: expired_limit(row.due_at.is_some(), is_over(row.end_by), is_over(row.close_by)),
            call: row.call,
            now: Timestamp(row.now),
        }
    }
}

/// Which limit of an activity has expired, given that one has.
pub(crate) fn expired_limit(waits: bool, attempt_is_over: bool, all_is_over: bool) -> TimeoutKind {
    if all_is_over {
        TimeoutKind::ScheduleToClose
    } else if waits {
        TimeoutKind::ScheduleToStart
    } else if attempt_is_over {
        TimeoutKind::StartToClose
    } else {
        TimeoutKind::Heartbeat
    }
}

/// The columns of an [`ActivityRow`].
macro_rules! activity_columns {
    () => {
        "run_id, handle, queue, activity, attempt, interruptions, worker_id, epoch, due_at, \
         expires_at, call, details, failed_attempt, failure"
    };
}
pub(crate) use activity_columns;

/// The columns of an [`ActivityRecord`], selected under these names.
#[derive(FromRow)]
pub(crate) struct ActivityRow {
    run_id: Uuid,
    handle: i64,
    queue: String,
    activity: String,
    attempt: i64,
    interruptions: i64,
    worker_id: Option<i64>,
    epoch: Option<i64>,
    due_at: Option<i64>,
    expires_at: Option<i64>,
    call: Vec<u8>,
    details: Option<Vec<u8>>,
    failed_attempt: Option<i64>,
    failure: Option<String>,
}

impl From<ActivityRow> for ActivityRecord {
    fn from(row: ActivityRow) -> Self {
        let failed = |(attempt, error)| AttemptFailure { attempt: count(attempt), error };
        let lease = |(id, epoch)| WorkerLease { worker_id: WorkerId(id), epoch: Epoch(epoch) };
        Self {
            key: key(row.run_id, row.handle),
            queue: row.queue,
            activity: row.activity,
            attempt: count(row.attempt),
            interruptions: count(row.interruptions),
            worker: row.worker_id.zip(row.epoch).map(lease),
            due_at: row.due_at.map(Timestamp),
            expires_at: row.expires_at.map(Timestamp),
            call: row.call,
            details: row.details.map(Payload),
            last_failure: row.failed_attempt.zip(row.failure).map(failed),
        }
    }
}

pub(super) fn count(count: i64) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
