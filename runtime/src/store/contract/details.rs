//! All stored data of one run.

use crate::model::{AttemptFailure, Handle, Payload, Timestamp, WorkerId};
use crate::store::{ArrivalKind, Pause, RunRecord};

/// The maximum number of activities, and of arrivals, in [`RunDetails`].
pub const MAX_DETAILS: u32 = 100;

/// A run with all its rows, read at one moment.
#[derive(Clone, Debug)]
pub struct RunDetails {
    /// The run's row.
    pub run: RunRecord,
    /// The pause of the run, or the requested one.
    pub paused: Option<Pause>,
    /// Its arguments, if they are still stored.
    pub arguments: Option<Payload>,
    /// The encoded snapshot of its last commit; empty for a completed run.
    pub snapshot: Vec<u8>,
    /// How many owners have died with the run since its last commit.
    pub takeovers: u32,
    /// Its activities on queues, in the order of their handles: the first [`MAX_DETAILS`].
    pub activities: Vec<QueuedActivity>,
    /// Number of its activities on queues.
    pub activity_count: u64,
    /// Unread arrivals in its inbox, in order: the first [`MAX_DETAILS`].
    pub unread: Vec<UnreadArrival>,
    /// Number of unread arrivals.
    pub unread_count: u64,
}

/// An activity on a queue.
#[derive(Clone, Debug, PartialEq)]
pub struct QueuedActivity {
    /// The operation of the run.
    pub handle: Handle,
    /// The queue.
    pub queue: String,
    /// The activity's stored name.
    pub activity: String,
    /// Number of attempts started.
    pub attempt: u32,
    /// How many of them ended because their worker died.
    pub interruptions: u32,
    /// The worker that makes the current attempt.
    pub worker: Option<WorkerId>,
    /// When the next attempt is due, if none is running.
    pub due_at: Option<Timestamp>,
    /// When the next time limit expires.
    pub expires_at: Option<Timestamp>,
    /// How the last attempt that was followed by another failed.
    pub last_failure: Option<AttemptFailure>,
}

/// An arrival in an inbox.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnreadArrival {
    /// Its number.
    pub seq: i64,
    /// The kind in one word, see [`ArrivalKind::word`]. `None` if this build cannot read the arrival, or if it does
    /// not fit into the response.
    pub kind: Option<&'static str>,
    /// The name of a signal or an update.
    pub name: Option<String>,
    /// Its stored size in bytes.
    pub bytes: u64,
    /// When it arrived, by the database's clock; `None` if the row is older than this column.
    pub arrived_at: Option<Timestamp>,
}

impl UnreadArrival {
    /// Describes an arrival of this size.
    pub(crate) fn of(
        seq: i64,
        arrival: Option<ArrivalKind>,
        bytes: u64,
        arrived_at: Option<Timestamp>,
    ) -> Self {
        let kind = arrival.as_ref().map(ArrivalKind::word);
        let name = arrival.as_ref().and_then(ArrivalKind::name).map(str::to_owned);
        Self { seq, kind, name, bytes, arrived_at }
    }
}

impl ArrivalKind {
    /// The kind in one word: `signal`, `outcome`, `retry`, `cancel`, `interruption`, `heartbeat`, `update`, `timeout`,
    /// `pause` or `unreadable`.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Signal { .. } => "signal",
            Self::Outcome { .. } => "outcome",
            Self::Retry { .. } => "retry",
            Self::Cancel { .. } => "cancel",
            Self::TimedOut { .. } => "timeout",
            Self::Interruption { .. } => "interruption",
            Self::Heartbeat { .. } => "heartbeat",
            Self::Update { .. } => "update",
            Self::Pause => "pause",
            Self::Unreadable { .. } => "unreadable",
        }
    }
}
