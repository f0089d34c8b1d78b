//! The log entries of a schedule.

use serde::{Deserialize, Serialize};

use crate::error::StoreError;
use crate::model::{RunId, Timestamp};
use crate::store::{NewScheduleLogEntry, ScheduleLogEntry};

/// The kind of an entry in the log of a schedule, with its content.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
#[non_exhaustive]
pub enum LogKind {
    /// The schedule was created.
    Created,
    /// Its configuration was changed.
    Updated,
    /// It was paused.
    Paused {
        /// The reason.
        note: String,
    },
    /// It was unpaused.
    Unpaused {
        /// The reason.
        note: String,
    },
    /// A run was started.
    Started {
        /// The run that had completed last when this one was started.
        last_completed: Option<RunId>,
        /// The run that had failed last when this one was started, unless one has completed since.
        last_failed: Option<RunId>,
    },
    /// A signal was sent, or a run started with it.
    Signalled {
        /// The signal.
        signal: String,
    },
    /// A signal was not sent, because no open run had the workflow id.
    NoRun {
        /// The workflow id.
        workflow_id: String,
    },
    /// A run was not started because another one was open.
    Skipped,
    /// A run was not started because another one was waiting, or the limit of waiting runs was reached.
    Dropped,
    /// A run was not started because it was later than the catch-up window.
    Missed,
    /// The next time moved, because a worker of another build has other time zone data.
    TimeMoved {
        /// The next time before, with jitter; `None` if there was none.
        from: Option<String>,
        /// The next time now.
        to: Option<String>,
    },
    /// Runs were not started because they were much later than the catch-up window.
    MissedMany {
        /// All times before this one were missed.
        until: String,
    },
    /// A run was not started because another open run has its workflow id.
    IdTaken {
        /// That run.
        by: RunId,
    },
    /// A run could not be started.
    CannotStart {
        /// The reason.
        reason: String,
    },
    /// A run got a request to cancel, to make room for another one.
    CancelRequested,
    /// A run was terminated, to make room for another one.
    Terminated,
    /// A run was triggered.
    Triggered,
    /// A backfill was requested.
    Backfilled {
        /// Its first time.
        from: String,
        /// Its last time.
        to: String,
    },
    /// The unfinished backfills were cancelled.
    BackfillsCancelled {
        /// How many of their runs were waiting.
        waiting: usize,
    },
}

/// An entry in the log of a schedule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LogEntry {
    /// Its number, from 1.
    pub seq: i64,
    /// When it was written, by the database's clock.
    pub at: Timestamp,
    /// The nominal time it concerns.
    pub nominal_at: Option<Timestamp>,
    /// The run it concerns.
    pub run_id: Option<RunId>,
    /// The kind and content.
    #[serde(flatten)]
    pub what: LogKind,
}

/// The entry in its stored form. The kind has its own column, for readers of the table.
pub(crate) fn entry(
    what: &LogKind,
    nominal_at: Option<Timestamp>,
    run_id: Option<RunId>,
) -> NewScheduleLogEntry {
    // Structs with texts always have a JSON form.
    let json = serde_json::to_value(what).unwrap_or_default();
    let kind = json.get("kind").and_then(|kind| kind.as_str()).unwrap_or_default().to_owned();
    let has_more = json.as_object().is_some_and(|fields| fields.len() > 1);
    NewScheduleLogEntry { kind, nominal_at, run_id, details: has_more.then(|| json.to_string()) }
}

pub(crate) fn read_entry(stored: ScheduleLogEntry) -> Result<LogEntry, StoreError> {
    let ScheduleLogEntry { seq, at, entry } = stored;
    let details =
        entry.details.unwrap_or_else(|| serde_json::json!({"kind": entry.kind}).to_string());
    let what = serde_json::from_str(&details).map_err(|error| StoreError::Corrupt {
        what: "entry in the log of a schedule",
        reason: error.to_string(),
    })?;
    Ok(LogEntry { seq, at, nominal_at: entry.nominal_at, run_id: entry.run_id, what })
}
