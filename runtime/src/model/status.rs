//! The status of a run.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::Finding;

#[cfg(feature = "engine")]
use super::recorded;

/// The status of a run. The words are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RunStatus {
    /// Open: stepping, or parked until something arrives.
    Running,
    /// Open, but no worker continues it until code that can read it is deployed or an operator
    /// acts. Its state is untouched.
    Blocked,
    /// Closed with a result.
    Completed,
    /// Closed with an error of its own.
    Failed,
    /// Closed after a request to cancel.
    Cancelled,
    /// Closed by an operator, without running any of its code.
    Terminated,
    /// Closed by [going on as another run](crate::machine::Context::continue_as_new) of its workflow id.
    ContinuedAsNew,
    /// Closed because its [timeout](crate::client::Start::run_timeout) or that of its chain was over.
    TimedOut,
    /// Open, but it takes no step until somebody [resumes](crate::client::UntypedRun::resume) it. What arrives is
    /// kept.
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

    /// The word that stores keep.
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

    /// The status of a stored word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == word)
    }

    /// Whether the run may still change: its workflow id is taken and it accepts signals.
    pub fn is_open(self) -> bool {
        matches!(self, Self::Running | Self::Blocked | Self::Paused)
    }
}

impl fmt::Display for RunStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Why a run is blocked, in words for the person who has to act.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum BlockedReason {
    /// The saved state cannot be read by this build.
    Undecodable(String),
    /// The code has changed, and the saved state does not fit that of this build.
    // Workers look for what other builds have blocked by the first letters of the word.
    #[serde(rename = "unfit")]
    Evolution(Box<Finding>),
    /// A step panicked; the state before the step stands.
    Panicked(String),
    /// A step broke a rule that only shows at run time, such as a value that cannot be encoded.
    Invalid(String),
    /// It needs an activity that this build does not have.
    Unregistered(String),
    /// Worker after worker died, or lost its lease, while it had the run, and none has committed a step of it. It
    /// would end the next one, too, so it waits until somebody unblocks it by itself; a worker that starts leaves
    /// it alone.
    WorkersDied(String),
}

impl BlockedReason {
    /// The words of all kinds, see [`Self::kind`].
    pub const KINDS: [&'static str; 6] =
        ["undecodable", "unfit", "panicked", "invalid", "unregistered", "workers_died"];

    /// The kind as a word, as it is stored.
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
