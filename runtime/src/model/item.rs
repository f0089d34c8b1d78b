//! Items of queues: activities that have a key.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::Timestamp;

/// An activity that a run adds to a queue under a key; see [`PromiseMessage::Offer`](super::PromiseMessage::Offer).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct QueueItem {
    /// The encoded call.
    pub call: Vec<u8>,
    /// When its first attempt is due; `None` means at once.
    pub due_at: Option<Timestamp>,
    /// How long an attempt may wait for a worker once it is due.
    pub schedule_to_start: Option<Duration>,
    /// How long an attempt may take.
    pub start_to_close: Option<Duration>,
    /// How long an attempt may go without a heartbeat.
    pub heartbeat: Option<Duration>,
    /// When the last attempt must have ended.
    pub close_by: Option<Timestamp>,
    /// How long the queue keeps the key and the outcome after the item has ended.
    pub retention: Duration,
    /// See [`NewActivity::priority`](crate::store::NewActivity::priority).
    pub priority: i16,
    /// See [`NewActivity::partition`](crate::store::NewActivity::partition).
    pub partition: String,
}

/// Why an item of a queue has neither a value nor an error.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum ItemFailure {
    /// It took too long.
    TimedOut(TimeoutKind),
    /// It was cancelled.
    Cancelled,
    /// It panicked in its last attempt.
    Panicked(String),
    /// It could not be run at all, for people.
    Unusable(String),
    /// Its only attempt was interrupted.
    Unknown,
}

/// Which limit of an activity was exceeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum TimeoutKind {
    /// One attempt took too long.
    StartToClose,
    /// All attempts together took too long.
    ScheduleToClose,
    /// An attempt waited too long for a worker.
    ScheduleToStart,
    /// An attempt sent no heartbeat for too long.
    Heartbeat,
}
