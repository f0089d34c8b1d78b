//! All stored data of one run.

use crate::model::{AttemptFailure, Handle, Payload, Timestamp, WorkerId};
use crate::store::{ArrivalKind, Pause, RunRecord};

/// How many activities, and how many arrivals, [`RunDetails`] have at most.
pub const MAX_DETAILS: u32 = 100;

/// A run with everything that belongs to it, as it was at one moment.
#[derive(Clone, Debug)]
pub struct RunDetails {
    /// The run's row.
    pub run: RunRecord,
    /// By whom it is paused, or is to be.
    pub paused: Option<Pause>,
    /// What it was started with, if that is still there.
    pub arguments: Option<Payload>,
    /// The encoded snapshot that its last commit has left; empty for a run that has completed.
    pub snapshot: Vec<u8>,
    /// How often an owner has died with it since its last commit.
    pub takeovers: u32,
    /// Its activities on queues, in the order of their handles: the first [`MAX_DETAILS`].
    pub activities: Vec<QueuedActivity>,
    /// How many there are.
    pub activity_count: u64,
    /// What lies in its inbox, in the order of the numbers: the first [`MAX_DETAILS`].
    pub unread: Vec<UnreadArrival>,
    /// How much there is.
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
    /// Attempts begun so far.
    pub attempt: u32,
    /// How many of them were cut off by the death of their worker.
    pub interruptions: u32,
    /// Who makes the attempt.
    pub worker: Option<WorkerId>,
    /// When the next attempt is due, if none is being made.
    pub due_at: Option<Timestamp>,
    /// When a time limit runs out.
    pub expires_at: Option<Timestamp>,
    /// How the last attempt failed that was followed by another.
    pub last_failure: Option<AttemptFailure>,
}

/// Something in an inbox.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnreadArrival {
    /// Its number.
    pub seq: i64,
    /// What it is in one word, as [`ArrivalKind::word`] has it. `None` if this build cannot read it, or if it
    /// does not fit one answer with those before it.
    pub kind: Option<&'static str>,
    /// The name of a signal or an update.
    pub name: Option<String>,
    /// How long it is as it is stored.
    pub bytes: u64,
    /// When it has arrived, by the database's clock; `None` for what was there before stores kept that.
    pub arrived_at: Option<Timestamp>,
}

impl UnreadArrival {
    /// What is to be told of an arrival that takes so many bytes.
    pub(crate) fn of(
        seq: i64,
        arrival: Option<ArrivalKind>,
        bytes: u64,
        arrived_at: Option<Timestamp>,
    ) -> Self {
        let kind = arrival.as_ref().map(ArrivalKind::word);
        let name = arrival.and_then(|arrival| match arrival {
            ArrivalKind::Signal { name, .. } | ArrivalKind::Update { name, .. } => Some(name),
            _ => None,
        });
        Self { seq, kind, name, bytes, arrived_at }
    }
}

impl ArrivalKind {
    /// What it is in one word: `signal`, `outcome`, `retry`, `cancel`, `interruption`, `heartbeat` or
    /// `update`.
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
        }
    }
}
