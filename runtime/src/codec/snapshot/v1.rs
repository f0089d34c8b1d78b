//! Format 1, which has no clock of a run, no failure of an attempt, no time limit of a wait for a signal, and no
//! compensations.
//!
//! The row of an activity on a queue has its call in this format, and separate columns for the data that changes with
//! each attempt.

use std::borrow::Cow;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::model;
use crate::model::{AwaitedToken, Handle, Payload, RetryPolicy, Timestamp, Wait};

/// The first byte.
pub(super) const FORMAT: u8 = 1;

#[derive(Deserialize)]
pub(super) struct Snapshot {
    #[serde(deserialize_with = "model::in_one_piece")]
    frame: Vec<u8>,
    state: String,
    next_handle: u64,
    operations: Vec<(Handle, Operation)>,
    wait: Wait,
    steps: u64,
    cancelled: Option<String>,
}

/// A further variant, a wait for another run, was never written.
#[derive(Deserialize)]
enum Operation {
    Activity(Box<ActivityOperation>),
    Timer { fire_at: Timestamp },
    Signal { name: String },
    Cancellation,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ActivityOperation {
    name: Cow<'static, str>,
    arguments: Payload,
    retry: RetryPolicy,
    start_to_close: Option<Duration>,
    schedule_to_close: Option<Duration>,
    at_most_once: bool,
    scheduled_at: Timestamp,
    attempts: u32,
    interruptions: u32,
    passed_over: u32,
    retry_at: Option<Timestamp>,
    queue: Option<String>,
    schedule_to_start: Option<Duration>,
    heartbeat: Option<Duration>,
    details: Option<Payload>,
    awaited: Option<AwaitedToken>,
}

impl From<Snapshot> for model::Snapshot {
    fn from(snapshot: Snapshot) -> Self {
        let Snapshot { frame, state, next_handle, operations, wait, steps, cancelled } = snapshot;
        let operations = operations.into_iter();
        let operations = operations.map(|(handle, operation)| (handle, operation.into())).collect();
        // Earlier than any clock.
        let clock = Timestamp::MIN;
        let ending = None;
        Self { frame, state, next_handle, operations, wait, steps, cancelled, clock, ending }
    }
}

impl From<Operation> for model::Operation {
    fn from(operation: Operation) -> Self {
        match operation {
            Operation::Activity(activity) => Self::Activity(Box::new((*activity).into())),
            Operation::Timer { fire_at } => Self::Timer { fire_at },
            Operation::Signal { name } => Self::Signal { name, until: None },
            Operation::Cancellation => Self::Cancellation,
        }
    }
}

impl From<ActivityOperation> for model::ActivityOperation {
    fn from(activity: ActivityOperation) -> Self {
        Self {
            name: activity.name,
            arguments: activity.arguments,
            retry: activity.retry,
            start_to_close: activity.start_to_close,
            schedule_to_close: activity.schedule_to_close,
            at_most_once: activity.at_most_once,
            scheduled_at: activity.scheduled_at,
            attempts: activity.attempts,
            interruptions: activity.interruptions,
            passed_over: activity.passed_over,
            retry_at: activity.retry_at,
            queue: activity.queue,
            schedule_to_start: activity.schedule_to_start,
            heartbeat: activity.heartbeat,
            details: activity.details,
            awaited: activity.awaited,
            priority: 0,
            partition: String::new(),
            last_failure: None,
        }
    }
}

impl From<model::ActivityOperation> for ActivityOperation {
    fn from(activity: model::ActivityOperation) -> Self {
        Self {
            name: activity.name,
            arguments: activity.arguments,
            retry: activity.retry,
            start_to_close: activity.start_to_close,
            schedule_to_close: activity.schedule_to_close,
            at_most_once: activity.at_most_once,
            scheduled_at: activity.scheduled_at,
            attempts: activity.attempts,
            interruptions: activity.interruptions,
            passed_over: activity.passed_over,
            retry_at: activity.retry_at,
            queue: activity.queue,
            schedule_to_start: activity.schedule_to_start,
            heartbeat: activity.heartbeat,
            details: activity.details,
            awaited: activity.awaited,
        }
    }
}
