//! The log entries of a schedule.

use serde::{Deserialize, Serialize};

use crate::error::StoreError;
use crate::model::{RunId, Timestamp};
use crate::store::{NewScheduleLogEntry, ScheduleLogEntry};

/// What an entry in the log of a schedule tells.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
#[non_exhaustive]
pub enum LogKind {
    /// The schedule was created.
    Created,
    /// What it says was changed.
    Updated,
    /// It was paused.
    Paused {
        /// Why.
        note: String,
    },
    /// It continues.
    Unpaused {
        /// Why.
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
    /// A run was not started, because another was open.
    Skipped,
    /// A run was not started, because another waited already or because there is no room for more.
    Dropped,
    /// A run was not started, because its time had passed by more than the catch-up window.
    Missed,
    /// Runs were not started, because their times had passed by much more than the catch-up window.
    MissedMany {
        /// The last time before which all are missed.
        until: String,
    },
    /// A run was not started, because an open run of somebody else has its workflow id.
    IdTaken {
        /// That run.
        by: RunId,
    },
    /// A run could not be started.
    CannotStart {
        /// Why.
        reason: String,
    },
    /// A run was asked to cancel, to make room for another.
    CancelRequested,
    /// A run was terminated, to make room for another.
    Terminated,
    /// A run was asked for by hand.
    Triggered,
    /// The runs of a period were asked for.
    Backfilled {
        /// Its first time.
        from: String,
        /// Its last time.
        to: String,
    },
}

/// An entry in the log of a schedule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LogEntry {
    /// Its number, from 1.
    pub seq: i64,
    /// When it was written, by the database's clock.
    pub at: Timestamp,
    /// The nominal time that it is about.
    pub nominal_at: Option<Timestamp>,
    /// The run that it is about.
    pub run_id: Option<RunId>,
    /// What it tells.
    #[serde(flatten)]
    pub what: LogKind,
}

/// An entry as it is stored: the kind as a word of its own, for those who read the table.
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
