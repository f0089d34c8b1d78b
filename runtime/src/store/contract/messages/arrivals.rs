//! Arrivals of runs: signals, outcomes, and the other contents of their inboxes.

use serde::{Deserialize, Serialize};

use crate::machine::OperationOutcome;
use crate::model::{Handle, Payload, RunId, Timestamp};
use crate::store::WorkerLease;

/// An arrival in a run's inbox.
#[derive(Clone, Debug, PartialEq)]
pub struct Arrival {
    /// Its number in the run's inbox, from 1.
    pub seq: i64,
    /// Its content.
    pub kind: ArrivalKind,
}

impl Arrival {
    /// The value that it carries.
    pub(crate) fn payload(&self) -> Option<&Payload> {
        self.kind.payload()
    }
}

impl ArrivalKind {
    /// The second byte of the stored form of each kind that [goes over](Self::goes_over).
    pub(crate) const GO_OVER: [u8; 3] = [0, 3, 6];

    /// The second byte of the stored form of a [signal](Self::is_signal).
    pub(crate) const SIGNAL: u8 = 0;

    /// The value that it carries.
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

    /// The stored name of the signal or update; other arrivals have none.
    pub(crate) fn name(&self) -> Option<&str> {
        match self {
            Self::Signal { name, .. } | Self::Update { name, .. } => Some(name),
            _ => None,
        }
    }

    /// Whether it makes a run due that nobody owns. A run that has not begun begins at its time; only a request to
    /// cancel makes it due earlier.
    pub(crate) fn wakes(&self, has_begun: bool) -> bool {
        has_begun || matches!(self, Self::Cancel { .. } | Self::TimedOut { .. })
    }

    /// Whether it moves to the run's successor if it is not consumed.
    pub(crate) fn goes_over(&self) -> bool {
        match self {
            Self::Signal { .. } | Self::Update { .. } | Self::Cancel { .. } => true,
            Self::Unreadable { stored, .. } => {
                stored.get(1).is_some_and(|kind| Self::GO_OVER.contains(kind))
            }
            _ => false,
        }
    }

    /// Whether it is a signal. The last run of a chain keeps those that it has not taken.
    pub(crate) fn is_signal(&self) -> bool {
        match self {
            Self::Signal { .. } => true,
            Self::Unreadable { stored, .. } => stored.get(1) == Some(&Self::SIGNAL),
            _ => false,
        }
    }
}

/// Unconsumed arrivals of a run, or the first of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Inbox {
    /// The arrivals, in the order of their numbers.
    pub arrivals: Vec<Arrival>,
    /// Whether there may be more.
    pub has_more: bool,
}

/// The kinds of arrivals, with their content.
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
    /// An attempt of an activity has failed and will be repeated.
    Retry {
        /// The activity.
        handle: Handle,
        /// The attempt that failed, from 1.
        attempt: u32,
        /// When the next one is due.
        retry_at: Timestamp,
        /// The failure, for people.
        failure: String,
        /// The details of the last heartbeat; `None` if they came before, or if there are none.
        details: Option<Payload>,
    },
    /// A request to cancel the run.
    Cancel {
        /// The reason, for people.
        reason: String,
    },
    /// An attempt of an activity was interrupted because the run was blocked.
    Interruption {
        /// The activity.
        handle: Handle,
        /// The attempt, from 1.
        attempt: u32,
    },
    /// A heartbeat of an attempt, sent with its token.
    Heartbeat {
        /// The activity.
        handle: Handle,
        /// The attempt, from 1.
        attempt: u32,
        /// Details for the next attempt.
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
    /// A request to cancel the run because its timeout has passed. It does not move to a successor.
    TimedOut {
        /// Which timeout, for people.
        reason: String,
    },
    /// A request to pause the run, sent while a worker owned it.
    Pause,
    /// An arrival that this build cannot read: the row is damaged, or a later build wrote it. It blocks its run. Stored, it
    /// is the same row again.
    #[serde(skip)]
    Unreadable {
        /// The stored form.
        stored: Vec<u8>,
        /// Why it cannot be read, for people.
        reason: String,
    },
}

/// An arrival to deliver.
#[derive(Clone, Debug)]
pub struct NewArrival {
    /// The run.
    pub run_id: RunId,
    /// The content.
    pub kind: ArrivalKind,
    /// Of all arrivals of the run with the same key, one is accepted. The key belongs to the name of its signal or
    /// update.
    pub dedup_key: Option<String>,
    /// Accept the arrival only if this worker owns the run with a valid lease.
    pub owner: Option<WorkerLease>,
}

/// The result of a delivery.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArrivalOutcome {
    /// It is in the inbox.
    Accepted {
        /// Its number.
        seq: i64,
    },
    /// An arrival with its dedup key and its name was accepted before; nothing was written.
    Duplicate,
    /// An arrival with its dedup key and another name was accepted before; nothing was written.
    KeyTaken {
        /// The name of the accepted signal or update; `None` if it was neither.
        by: Option<String>,
    },
    /// The run is closed.
    Closed,
    /// There is no such run.
    Unknown,
    /// The arrival names an owner that does not own the run any more.
    NotOwner,
}

impl ArrivalOutcome {
    /// The result for an arrival whose dedup key is known from an arrival with this name.
    pub(crate) fn repeated(again: &ArrivalKind, by: Option<&str>) -> Self {
        match by == again.name() {
            true => Self::Duplicate,
            false => Self::KeyTaken { by: by.map(str::to_owned) },
        }
    }
}

/// The arrival that a run starts with.
#[derive(Clone, Debug, PartialEq)]
pub struct FirstArrival {
    /// The content; the arrival has the number 1.
    pub kind: ArrivalKind,
    /// Later arrivals of the run with the same key are duplicates.
    pub dedup_key: Option<String>,
}
