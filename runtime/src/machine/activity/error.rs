//! The errors of calls of activities.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::machine::{StepError, request};
pub use crate::model::TimeoutKind;

/// Why a call of an activity returned no value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ActivityError<E> {
    /// It returned this error, and is not retried.
    Failed(E),
    /// It took too long.
    TimedOut(TimeoutKind),
    /// It was cancelled, because the run was.
    Cancelled,
    /// It panicked with this message in its last attempt, or in one after which it is not retried.
    Panicked(String),
    /// Its worker died during the attempt, and as it is `at_most_once`, there is no other attempt. It may have had
    /// its effect, a part of it, or none; only the other system knows.
    OutcomeUnknown,
}

impl<E: fmt::Display> fmt::Display for ActivityError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed(error) => error.fmt(f),
            Self::TimedOut(TimeoutKind::StartToClose) => {
                f.write_str("the activity timed out: an attempt took longer than `start_to_close`")
            }
            Self::TimedOut(TimeoutKind::ScheduleToClose) => f.write_str(
                "the activity timed out: its attempts took longer than `schedule_to_close`",
            ),
            Self::TimedOut(TimeoutKind::ScheduleToStart) => f.write_str(
                "the activity timed out: no worker had room for it within `schedule_to_start`",
            ),
            Self::TimedOut(TimeoutKind::Heartbeat) => f.write_str(
                "the activity timed out: an attempt was silent for longer than `heartbeat`",
            ),
            Self::Cancelled => f.write_str("the activity was cancelled"),
            Self::Panicked(message) => write!(f, "the activity panicked: {message}"),
            Self::OutcomeUnknown => f.write_str(
                "the outcome of the activity is unknown: its only attempt was cut off and may have \
                 had its effect",
            ),
        }
    }
}

impl<E: fmt::Debug + fmt::Display> std::error::Error for ActivityError<E> {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Cancelled => Some(request()),
            _ => None,
        }
    }
}

impl ActivityError<()> {
    /// The same failure for an activity with errors of its own.
    pub fn widen<E>(self) -> ActivityError<E> {
        match self {
            // An activity that returned an error did return: that error is in its return value.
            Self::Failed(()) => ActivityError::Panicked("the activity gave no value".into()),
            Self::TimedOut(kind) => ActivityError::TimedOut(kind),
            Self::Cancelled => ActivityError::Cancelled,
            Self::Panicked(message) => ActivityError::Panicked(message),
            Self::OutcomeUnknown => ActivityError::OutcomeUnknown,
        }
    }

    /// The failure as the end of the run, for an activity without errors of its own.
    pub fn into_step_error(self, activity: &str) -> StepError {
        match self {
            Self::Cancelled => StepError::Cancelled,
            Self::TimedOut(_) | Self::OutcomeUnknown => {
                let error = self.widen::<String>();
                StepError::Failed(
                    Error::msg(error).context(format!("activity `{activity}` failed")),
                )
            }
            Self::Panicked(message) => StepError::Failed(
                Error::msg(message).context(format!("activity `{activity}` panicked")),
            ),
            Self::Failed(()) => {
                StepError::Failed(Error::msg(format!("activity `{activity}` gave no value")))
            }
        }
    }
}
