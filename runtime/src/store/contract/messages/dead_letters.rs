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

/// An arrival that a step sets aside instead of using it up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewDeadLetter {
    /// Its number in the run's inbox. If it is not there, nothing is set aside.
    pub seq: i64,
    /// Why, for people.
    pub reason: String,
}

/// Something that could not be delivered, or that its run could not read.
#[derive(Clone, Debug, PartialEq)]
pub struct DeadLetter {
    /// Its id.
    pub id: DeadLetterId,
    /// The run that has set it aside; `None` if it has reached no run.
    pub run_id: Option<RunId>,
    /// The workflow id that it is for.
    pub workflow_id: String,
    /// What it is.
    pub arrival: ArrivalKind,
    /// Which message it was, if it has come out of an outbox without reaching a run.
    pub message: Option<MessageKey>,
    /// Why it is here.
    pub reason: DeadLetterReason,
    /// When it was set aside.
    pub set_aside_at: Timestamp,
}

/// Why something is a dead letter.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeadLetterReason {
    /// No run has ever had the workflow id.
    Unknown,
    /// All runs with the workflow id are closed.
    Closed,
    /// The run could not read it; why, for people.
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

/// Which dead letters are meant; what is `None` does not matter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeadLetterFilter {
    /// The workflow id that they are for.
    pub workflow_id: Option<String>,
    /// The run that has set them aside.
    pub run_id: Option<RunId>,
}

/// What became of a dead letter that was to be delivered after all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RedeliverOutcome {
    /// It is in the inbox of this run under this number, and no longer a dead letter.
    Delivered {
        /// The run.
        run_id: RunId,
        /// Its number there.
        seq: i64,
    },
    /// No open run has its workflow id; it stays.
    NoRun,
    /// It is not there, or no longer.
    Gone,
}
