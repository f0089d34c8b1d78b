//! The operations that a run has requested and whose outcomes are outstanding.

use std::borrow::Cow;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{Handle, Payload, PromiseToken, RetryPolicy, RunId, Timestamp};

/// An outstanding operation, kept in the run's snapshot so that it is durable before it starts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Operation {
    /// Run an activity and deliver its outcome. Boxed for its size.
    Activity(Box<ActivityOperation>),
    /// Wake the run at this time.
    Timer {
        /// The deadline. It is absolute, so a crash does not extend it.
        fire_at: Timestamp,
    },
    /// Wait for the next signal of this name.
    Signal {
        /// The signal's stored name.
        name: String,
        /// When the wait ends, if it has a time limit; a timer of the run fires then.
        until: Option<Timestamp>,
    },
    /// Wait for a request to cancel.
    Cancellation,
    /// Shields the operation with this handle: a request to cancel waits until the operation has ended.
    Shield(Handle),
    /// Run an activity if the run fails or is cancelled. Boxed for its size.
    Compensation(Box<Compensation>),
    /// Wait for the next update of this name.
    Update {
        /// The update's stored name.
        name: String,
        /// When the wait ends, if it has a time limit; a timer of the run fires then.
        until: Option<Timestamp>,
    },
    /// An update that the run has taken and not answered. Not a wait.
    Answer {
        /// The update's id.
        update: String,
        /// The token that identifies the request in the run's state.
        token: String,
    },
    /// A wait for the outcome of a promise. Boxed for its size.
    Promise(Box<PromiseWait>),
    /// Wait for the end of a child.
    Child {
        /// The child: the first run of its chain.
        child: RunId,
        /// Its workflow id.
        workflow_id: String,
        /// The stored name of its workflow.
        workflow: Cow<'static, str>,
    },
}

/// A wait for the outcome of a promise.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PromiseWait {
    /// The promise.
    pub token: PromiseToken,
    /// When the promise expires, if it does.
    pub expires_at: Option<Timestamp>,
}

/// A compensation: an activity for a run that does not complete.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Compensation {
    /// The call, which is requested when the run ends.
    pub activity: ActivityOperation,
    /// Whether the activity returns a `Result`, so that its return value may be an error.
    pub may_fail: bool,
}

#[cfg(feature = "engine")]
impl Operation {
    /// The arguments of the operation.
    pub(crate) fn arguments(&self) -> Option<&Payload> {
        match self {
            Self::Activity(activity) => Some(&activity.arguments),
            Self::Compensation(compensation) => Some(&compensation.activity.arguments),
            Self::Timer { .. }
            | Self::Signal { .. }
            | Self::Cancellation
            | Self::Child { .. }
            | Self::Shield(_)
            | Self::Update { .. }
            | Self::Answer { .. }
            | Self::Promise(_) => None,
        }
    }
}

/// A requested activity.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ActivityOperation {
    /// The activity's stored name.
    pub name: Cow<'static, str>,
    /// Its encoded arguments.
    pub arguments: Payload,
    /// Its retry policy.
    pub retry: RetryPolicy,
    /// How long one attempt may take; `None` means no limit.
    pub start_to_close: Option<Duration>,
    /// How long all attempts together may take; `None` means no limit.
    pub schedule_to_close: Option<Duration>,
    /// Whether it is never attempted twice.
    pub at_most_once: bool,
    /// When the workflow requested it.
    pub scheduled_at: Timestamp,
    /// The number of the last attempt that has ended or can no longer count: one that was interrupted, or one that
    /// another worker may have begun unnoticed.
    pub attempts: u32,
    /// How many of them were interrupted. They do not count toward [`RetryPolicy::max_attempts`], since they have
    /// not failed.
    pub interruptions: u32,
    /// How many numbers were skipped: the run was taken over while a retry was pending, and the previous owner may
    /// have begun that retry. They do not count as attempts.
    pub passed_over: u32,
    /// When the next attempt is due: after one has failed, or the first one if the call delays it.
    pub retry_at: Option<Timestamp>,
    /// The queue whose workers attempt it; `None` means the run's owner. The row of a queued activity counts the
    /// attempts, and has the arguments once it is committed.
    pub queue: Option<String>,
    /// The priority on its queue. The row has it, so it is not saved.
    #[serde(skip)]
    pub priority: i16,
    /// The partition of its queue; empty means none. The row has it, so it is not saved.
    #[serde(skip)]
    pub partition: String,
    /// How long an attempt may wait for its turn; `None` means no limit.
    pub schedule_to_start: Option<Duration>,
    /// How long an attempt may go without a heartbeat; `None` means no limit.
    pub heartbeat: Option<Duration>,
    /// The details of the last heartbeat that was written.
    pub details: Option<Payload>,
    /// Set while an attempt without a queue continues without its function, until its token is used; its number is
    /// the one after [`ActivityOperation::attempts`].
    pub awaited: Option<AwaitedToken>,
    /// The failure of the last failed attempt that is retried. For a queued activity, its row has that.
    pub last_failure: Option<AttemptFailure>,
}

impl ActivityOperation {
    /// The range of attempt numbers per step of the run. When a run is rewound, attempts continue from a multiple
    /// of this that none has reached.
    pub const NUMBERS_PER_STEP: u32 = 1_000;

    /// Whether an attempt may have been made since the activity was requested, or since it was requested again by
    /// an edit.
    pub fn may_have_begun(&self) -> bool {
        !self.attempts.is_multiple_of(Self::NUMBERS_PER_STEP)
    }
}

/// The failure of an attempt of an activity that is retried.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AttemptFailure {
    /// The attempt's number, from 1.
    pub attempt: u32,
    /// The error, for people: at most 4 KiB.
    pub error: String,
}

impl AttemptFailure {
    /// The maximum size of a kept error. It is written again with every commit of the run.
    const LONGEST: usize = 4 * 1024;

    /// The failure of this attempt, with a shortened error.
    pub fn new(attempt: u32, mut error: String) -> Self {
        if error.len() > Self::LONGEST {
            error.truncate(error.floor_char_boundary(Self::LONGEST - '…'.len_utf8()));
            error.push('…');
        }
        Self { attempt, error }
    }
}

/// An attempt that continues until its token is used or a limit expires.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AwaitedToken {
    /// When the attempt must have ended; `None` means no limit.
    pub end_by: Option<Timestamp>,
    /// When it sent its last heartbeat.
    pub heard_at: Timestamp,
    /// How often the run was taken over meanwhile. The previous owners may be alive and begin the next attempt, so
    /// this number of attempts is skipped then.
    pub takeovers: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_error_is_kept_in_part() {
        let kept = |error: &str| AttemptFailure::new(1, error.to_owned()).error;
        assert_eq!(kept("refused"), "refused");
        let whole = "x".repeat(AttemptFailure::LONGEST);
        assert_eq!(kept(&whole), whole);
        let cut = kept(&"ü".repeat(AttemptFailure::LONGEST));
        assert_eq!(cut.len(), AttemptFailure::LONGEST - 1, "no character is cut in two");
        assert!(cut.starts_with("üü") && cut.ends_with("ü…"));
    }
}
