//! Dead letters: messages that no run could take.

use crate::model::{RunId, Timestamp};
use crate::store::{ArrivalKind, MessageKey};

/// The id of a dead letter. Ids are never used twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DeadLetterId(pub i64);

impl std::fmt::Display for DeadLetterId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// An arrival that a step moves to the dead letters instead of consuming it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewDeadLetter {
    /// Its number in the run's inbox. If there is no such arrival, nothing is moved.
    pub seq: i64,
    /// The reason, for people.
    pub reason: String,
}

/// A message that could not be delivered, or that its run could not read.
#[derive(Clone, Debug, PartialEq)]
pub struct DeadLetter {
    /// Its id.
    pub id: DeadLetterId,
    /// The run that could not read it; `None` if it reached no run.
    pub run_id: Option<RunId>,
    /// The workflow id it was sent to.
    pub workflow_id: String,
    /// Its content.
    pub arrival: ArrivalKind,
    /// The key of the message, if it came from an outbox and reached no run.
    pub message: Option<MessageKey>,
    /// The reason.
    pub reason: DeadLetterReason,
    /// When it was set aside.
    pub set_aside_at: Timestamp,
}

/// The reason for a dead letter.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeadLetterReason {
    /// No run has ever had the workflow id.
    Unknown,
    /// All runs with the workflow id are closed.
    Closed,
    /// The run could not read it, with an explanation for people.
    Unreadable(String),
}

/// For people.
impl std::fmt::Display for DeadLetterReason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Unknown => f.write_str("no run has this workflow id"),
            Self::Closed => f.write_str("all runs with this workflow id are closed"),
            Self::Unreadable(why) => write!(f, "the run cannot read it: {why}"),
        }
    }
}

/// A filter for dead letters; `None` matches all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeadLetterFilter {
    /// The workflow id they were sent to.
    pub workflow_id: Option<String>,
    /// The run that could not read them.
    pub run_id: Option<RunId>,
}

/// The result of redelivering a dead letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RedeliverOutcome {
    /// It is in the inbox of this run, and no longer a dead letter.
    Delivered {
        /// The run.
        run_id: RunId,
        /// Its number there.
        seq: i64,
    },
    /// No open run has its workflow id; the dead letter stays.
    NoRun,
    /// There is no such dead letter, or no longer.
    Gone,
}
