//! Arrivals of runs: signals, outcomes, and the other contents of their inboxes.

use serde::{Deserialize, Serialize};

use crate::machine::OperationOutcome;
use crate::model::{Handle, Payload, RunId, Timestamp};
use crate::store::WorkerLease;

/// Something that has arrived for a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Arrival {
    /// Its number in the run's inbox, from 1.
    pub seq: i64,
    /// What it is.
    pub kind: ArrivalKind,
}

impl Arrival {
    /// The value that it brings.
    pub(crate) fn payload(&self) -> Option<&Payload> {
        self.kind.payload()
    }
}

impl ArrivalKind {
    /// The value that it brings.
    pub(crate) fn payload(&self) -> Option<&Payload> {
        match self {
            Self::Signal { payload, .. }
            | Self::Update { payload, .. }
            | Self::Outcome { outcome: OperationOutcome::Returned(payload), .. } => Some(payload),
            Self::Outcome { outcome: OperationOutcome::Child(end), .. } => end.payload(),
            Self::Outcome { outcome: OperationOutcome::Promise(outcome), .. } => outcome.payload(),
            _ => None,
        }
    }

    /// Whether a run becomes due by it that nobody owns. One that has not begun is to begin at its time, whatever arrives
    /// before, but for a request to cancel it.
    pub(crate) fn wakes(&self, has_begun: bool) -> bool {
        has_begun || matches!(self, Self::Cancel { .. } | Self::TimedOut { .. })
    }

    /// Whether it goes over to the run that follows if it is not used up.
    pub(crate) fn goes_over(&self) -> bool {
        matches!(self, Self::Signal { .. } | Self::Update { .. } | Self::Cancel { .. })
    }
}

/// Arrivals of a run that nobody has used up, or the first of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Inbox {
    /// In the order of their numbers.
    pub arrivals: Vec<Arrival>,
    /// Whether there may be more behind them.
    pub has_more: bool,
}

/// What can arrive.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ArrivalKind {
    /// A signal.
    Signal {
        /// The signal's stored name.
        name: String,
        /// Its encoded value.
        payload: Payload,
    },
    /// The outcome of an operation.
    Outcome {
        /// The operation.
        handle: Handle,
        /// How it ended.
        outcome: OperationOutcome,
    },
    /// An attempt of an activity has failed and is to be tried again.
    Retry {
        /// The activity.
        handle: Handle,
        /// The attempt that failed, from 1.
        attempt: u32,
        /// When the next one is due.
        retry_at: Timestamp,
        /// What went wrong, for people.
        failure: String,
        /// What the last heartbeat said.
        details: Option<Payload>,
    },
    /// A request to cancel the run.
    Cancel {
        /// Why, for people.
        reason: String,
    },
    /// An attempt of an activity was cut off because the run was blocked.
    Interruption {
        /// The activity.
        handle: Handle,
        /// The attempt, from 1.
        attempt: u32,
    },
    /// A sign of life of an attempt, from outside.
    Heartbeat {
        /// The activity.
        handle: Handle,
        /// The attempt, from 1.
        attempt: u32,
        /// What the next attempt is to know.
        details: Payload,
    },
    /// An update. The dedup key of its arrival is [`UpdateKey::dedup_key`](crate::store::UpdateKey::dedup_key).
    Update {
        /// The update's stored name.
        name: String,
        /// Its id.
        id: String,
        /// The encoded request.
        payload: Payload,
    },
    /// A request to cancel the run because its timeout is over. Not for a run that follows it.
    TimedOut {
        /// Which timeout, for people.
        reason: String,
    },
    /// Somebody has paused the run while a worker had it.
    Pause,
}

/// Something to be put into a run's inbox.
#[derive(Clone, Debug)]
pub struct NewArrival {
    /// The run.
    pub run_id: RunId,
    /// What arrives.
    pub kind: ArrivalKind,
    /// An arrival of the same run with the same key is taken once, for ever.
    pub dedup_key: Option<String>,
    /// Accept it only while this worker validly owns the run.
    pub owner: Option<WorkerLease>,
}

/// What became of an arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArrivalOutcome {
    /// It is in the inbox under this number.
    Accepted {
        /// Its number.
        seq: i64,
    },
    /// Its dedup key was there before; nothing was written.
    Duplicate,
    /// The run is closed.
    Closed,
    /// There is no such run.
    Unknown,
    /// It was to be accepted from the owner only, and that has changed.
    NotOwner,
}

/// What a run is started with.
#[derive(Clone, Debug, PartialEq)]
pub struct FirstArrival {
    /// What it is; it has the number 1.
    pub kind: ArrivalKind,
    /// An arrival of the run with the same key is a duplicate of it.
    pub dedup_key: Option<String>,
}
