//! The status of a run.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::Finding;

#[cfg(feature = "engine")]
use super::recorded;

/// The status of a run. The names are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RunStatus {
    /// Open: stepping, or parked until something arrives.
    Running,
    /// Open, but no worker continues it until code that fits is deployed or an operator acts. Its state does not
    /// change.
    Blocked,
    /// Closed with a result.
    Completed,
    /// Closed with an error of its own.
    Failed,
    /// Closed after a request to cancel.
    Cancelled,
    /// Closed by an operator, without running any of its code.
    Terminated,
    /// Closed by [continuing as another run](crate::machine::Context::continue_as_new) with its workflow id.
    ContinuedAsNew,
    /// Closed because its [timeout](crate::client::Start::run_timeout), or that of its chain, has passed.
    TimedOut,
    /// Open, but it makes no step until it is [resumed](crate::client::UntypedRun::resume). Its inbox accepts
    /// arrivals.
    Paused,
}

impl RunStatus {
    /// Every status, in the order of declaration.
    pub const ALL: [Self; 9] = [
        Self::Running,
        Self::Blocked,
        Self::Completed,
        Self::Failed,
        Self::Cancelled,
        Self::Terminated,
        Self::ContinuedAsNew,
        Self::TimedOut,
        Self::Paused,
    ];

    /// The stored name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Blocked => "blocked",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
            Self::Terminated => "terminated",
            Self::ContinuedAsNew => "continued_as_new",
            Self::TimedOut => "timed_out",
            Self::Paused => "paused",
        }
    }

    /// Parses a stored name.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == word)
    }

    /// Whether the run is open: its workflow id is taken and it accepts signals.
    pub fn is_open(self) -> bool {
        matches!(self, Self::Running | Self::Blocked | Self::Paused)
    }
}

impl fmt::Display for RunStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Why a run is blocked, with a text for the person who has to act.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum BlockedReason {
    /// The saved state cannot be read by this build.
    Undecodable(String),
    /// The code has changed, and the saved state does not fit that of this build.
    // Workers find runs that other builds have blocked by the first letters of the name.
    #[serde(rename = "unfit")]
    Evolution(Box<Finding>),
    /// A step panicked; the state is the one before the step.
    Panicked(String),
    /// A step broke a rule that can only be checked at run time, for example with a value that cannot be encoded.
    Invalid(String),
    /// It needs an activity that is not registered in this build.
    Unregistered(String),
    /// Several workers in a row died, or lost their leases, while they owned it, and none committed a step. It
    /// would probably kill the next one, so it waits until it is unblocked on its own; a starting worker leaves it
    /// blocked.
    WorkersDied(String),
}

impl BlockedReason {
    /// The names of all kinds, see [`Self::kind`].
    pub const KINDS: [&'static str; 6] =
        ["undecodable", "unfit", "panicked", "invalid", "unregistered", "workers_died"];

    /// The stored name of the kind.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Undecodable(_) => "undecodable",
            Self::Evolution(_) => "unfit",
            Self::Panicked(_) => "panicked",
            Self::Invalid(_) => "invalid",
            Self::Unregistered(_) => "unregistered",
            Self::WorkersDied(_) => "workers_died",
        }
    }

    /// Whether another build may continue the run as it is, because it has what this one lacks.
    pub fn is_of_the_build(&self) -> bool {
        match self {
            Self::Undecodable(_) | Self::Evolution(_) | Self::Unregistered(_) => true,
            Self::Panicked(_) | Self::Invalid(_) | Self::WorkersDied(_) => false,
        }
    }

    /// The reason as it is recorded, see [`recorded`].
    #[cfg(feature = "engine")]
    pub(crate) fn recorded(self) -> Self {
        match self {
            Self::Undecodable(why) => Self::Undecodable(recorded(why)),
            Self::Evolution(finding) => Self::Evolution(Box::new(finding.recorded())),
            Self::Panicked(message) => Self::Panicked(recorded(message)),
            Self::Invalid(why) => Self::Invalid(recorded(why)),
            Self::Unregistered(name) => Self::Unregistered(recorded(name)),
            Self::WorkersDied(name) => Self::WorkersDied(recorded(name)),
        }
    }
}

impl fmt::Display for BlockedReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Undecodable(why) => write!(f, "the saved state cannot be read: {why}"),
            Self::Evolution(finding) => finding.fmt(f),
            Self::Panicked(message) => write!(f, "a step panicked: {message}"),
            Self::Invalid(why) => write!(f, "a step could not be saved: {why}"),
            Self::Unregistered(name) => write!(f, "the activity `{name}` is not registered"),
            Self::WorkersDied(why) => write!(f, "its workers died: {why}"),
        }
    }
}
