//! Schedules and their logs.

use sqlx::FromRow;
use uuid::Uuid;

use crate::model::{Payload, RunId, Timestamp};
use crate::store::{NewScheduleLogEntry, ScheduleLogEntry, ScheduleRecord};

/// The columns of a [`ScheduleRecord`], selected under these names.
macro_rules! schedule_columns {
    ($table:literal) => {
        concat!(
            $table,
            ".schedule_id, ",
            $table,
            ".token, ",
            $table,
            ".version, ",
            $table,
            ".revision, ",
            $table,
            ".workflow, ",
            $table,
            ".arguments, ",
            $table,
            ".config, ",
            $table,
            ".state, ",
            $table,
            ".due_at, ",
            $table,
            ".created_at"
        )
    };
}
pub(crate) use schedule_columns;

/// See [`schedule_columns`].
#[derive(FromRow)]
pub(crate) struct ScheduleRow {
    schedule_id: String,
    token: Uuid,
    version: i64,
    revision: i64,
    workflow: String,
    arguments: Vec<u8>,
    config: String,
    state: String,
    due_at: Option<i64>,
    created_at: i64,
}

impl From<ScheduleRow> for ScheduleRecord {
    fn from(row: ScheduleRow) -> Self {
        Self {
            id: row.schedule_id,
            token: row.token,
            version: row.version,
            revision: row.revision,
            workflow: row.workflow,
            arguments: Payload(row.arguments),
            config: row.config,
            state: row.state,
            due_at: row.due_at.map(Timestamp),
            created_at: Timestamp(row.created_at),
        }
    }
}

/// The columns of a [`ScheduleLogEntry`], selected under these names.
macro_rules! schedule_log_columns {
    () => {
        "seq, at, kind, nominal_at, run_id, details"
    };
}
pub(crate) use schedule_log_columns;

/// See [`schedule_log_columns`].
#[derive(FromRow)]
pub(crate) struct ScheduleLogRow {
    seq: i64,
    at: i64,
    kind: String,
    nominal_at: Option<i64>,
    run_id: Option<Uuid>,
    details: Option<String>,
}

impl From<ScheduleLogRow> for ScheduleLogEntry {
    fn from(row: ScheduleLogRow) -> Self {
        let ScheduleLogRow { seq, at, kind, nominal_at, run_id, details } = row;
        let (nominal_at, run_id) = (nominal_at.map(Timestamp), run_id.map(RunId::from));
        let entry = NewScheduleLogEntry { kind, nominal_at, run_id, details };
        Self { seq, at: Timestamp(at), entry }
    }
}
