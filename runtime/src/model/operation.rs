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
        /// The deadline; the remaining time after a crash follows from it.
        fire_at: Timestamp,
    },
    /// Wait for the next signal of this name.
    Signal {
        /// The signal's stored name.
        name: String,
        /// When the wait is over, if it has a time limit: a timer of the run's fires then.
        until: Option<Timestamp>,
    },
    /// Wait for a request to cancel.
    Cancellation,
    /// The operation of this number is shielded: a request to cancel waits until it has ended.
    Shield(Handle),
    /// Run an activity if the run fails or is cancelled. Boxed for its size.
    Compensation(Box<Compensation>),
    /// Wait for the next update of this name.
    Update {
        /// The update's stored name.
        name: String,
        /// When the wait is over, if it has a time limit: a timer of the run's fires then.
        until: Option<Timestamp>,
    },
    /// Answer an update that the run has taken: nothing is waited for.
    Answer {
        /// The update's id.
        update: String,
        /// What the request is known by wherever the run keeps it.
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
    /// Which promise.
    pub token: PromiseToken,
    /// When the promise expires, if it does.
    pub expires_at: Option<Timestamp>,
}

/// An activity that undoes something, for a run that does not complete.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Compensation {
    /// The call. It is asked for when the run ends.
    pub activity: ActivityOperation,
    /// Whether the activity returns a `Result`, so that what it returns may be an error.
    pub may_fail: bool,
}

#[cfg(feature = "engine")]
impl Operation {
    /// The arguments that it holds.
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

/// An activity that was asked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ActivityOperation {
    /// The activity's stored name.
    pub name: Cow<'static, str>,
    /// Its encoded arguments.
    pub arguments: Payload,
    /// When to try again.
    pub retry: RetryPolicy,
    /// How long one attempt may take; `None` means no limit.
    pub start_to_close: Option<Duration>,
    /// How long all attempts together may take; `None` means no limit.
    pub schedule_to_close: Option<Duration>,
    /// Whether it is never attempted twice.
    pub at_most_once: bool,
    /// When the workflow asked for it.
    pub scheduled_at: Timestamp,
    /// The number of the last attempt that has ended or can no longer count: one that a crash
    /// interrupted, or may have begun without anybody knowing.
    pub attempts: u32,
    /// How many of them a crash interrupted. They do not count towards
    /// [`RetryPolicy::max_attempts`]: they have not failed.
    pub interruptions: u32,
    /// How many numbers were passed over: the run was taken away while a retry was waited for, and
    /// whoever had it may have begun that retry. They do not count as attempts.
    pub passed_over: u32,
    /// When the next attempt is due: after one has failed, or the first one if the call delays it.
    pub retry_at: Option<Timestamp>,
    /// The queue whose workers attempt it; `None` is the worker that owns the run. On a queue its
    /// row counts the attempts, and holds the arguments from the commit on that wrote it.
    pub queue: Option<String>,
    /// How long an attempt may wait for its turn; `None` means no limit.
    pub schedule_to_start: Option<Duration>,
    /// How long an attempt may be silent; `None` means no limit.
    pub heartbeat: Option<Duration>,
    /// What the last heartbeat said, as far as it has been written.
    pub details: Option<Payload>,
    /// Set while an attempt without a queue goes on without its function, until its token is used;
    /// its number is the one after [`ActivityOperation::attempts`].
    pub awaited: Option<AwaitedToken>,
    /// How the last attempt failed that did and is tried again. On a queue its row has that.
    pub last_failure: Option<AttemptFailure>,
}

impl ActivityOperation {
    /// How many numbers of attempts a step of the run has. When a person lets a run go back, attempts are numbered on from
    /// a multiple of this that none has reached.
    pub const NUMBERS_PER_STEP: u32 = 1_000;

    /// Whether an attempt may have been made since the activity was asked for, or since a person let it be made again.
    pub fn may_have_begun(&self) -> bool {
        !self.attempts.is_multiple_of(Self::NUMBERS_PER_STEP)
    }
}

/// How an attempt of an activity failed that is tried again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AttemptFailure {
    /// The attempt's number, from 1.
    pub attempt: u32,
    /// What went wrong, for people: at most 4 KiB of it.
    pub error: String,
}

impl AttemptFailure {
    /// The most bytes that are kept of an error. It is written again with every commit of the run.
    const LONGEST: usize = 4 * 1024;

    /// Of this attempt, with as much of the error as is kept.
    pub fn new(attempt: u32, mut error: String) -> Self {
        if error.len() > Self::LONGEST {
            error.truncate(error.floor_char_boundary(Self::LONGEST - '…'.len_utf8()));
            error.push('…');
        }
        Self { attempt, error }
    }
}

/// An attempt that continues until its token is used or a limit runs out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AwaitedToken {
    /// When the attempt must have ended; `None` means no limit.
    pub end_by: Option<Timestamp>,
    /// When it gave the last sign of life.
    pub heard_at: Timestamp,
    /// How often the run was taken away meanwhile. Whoever had it may live and begin the attempt that
    /// follows, so as many numbers are passed over then.
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
