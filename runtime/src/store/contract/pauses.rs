//! Pauses: runs that take no step until somebody resumes them.

use super::changes::ChangeOutcome;
use crate::model::{RunStatus, Timestamp};

/// By whom a run is paused, or is to be once its owner has let go of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pause {
    /// When that was asked for.
    pub at: Timestamp,
    /// Who has asked.
    pub by: String,
    /// Why, for people.
    pub reason: String,
}

/// What a change of a pause depends on, of a run that is locked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pausable {
    pub(crate) status: RunStatus,
    pub(crate) is_owned: bool,
    /// Whether there is a [`Pause`] of it.
    pub(crate) is_asked: bool,
}

/// How a run is paused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pausing {
    /// At once.
    Now,
    /// By its owner, which is told by an arrival.
    ByOwner,
}

impl Pausable {
    /// How the run is paused, or why it is not.
    pub(crate) fn pause(self) -> Result<Pausing, ChangeOutcome> {
        match self.status {
            RunStatus::Paused => Err(ChangeOutcome::Unchanged),
            status if !status.is_open() => Err(ChangeOutcome::Closed),
            _ if !self.is_owned => Ok(Pausing::Now),
            _ if self.is_asked => Err(ChangeOutcome::Unchanged),
            _ => Ok(Pausing::ByOwner),
        }
    }

    /// Whether the run goes on, as against one whose owner has not let go of it yet; or why nothing changes.
    pub(crate) fn resume(self) -> Result<bool, ChangeOutcome> {
        match self.status {
            RunStatus::Paused => Ok(true),
            status if !status.is_open() => Err(ChangeOutcome::Closed),
            _ if self.is_asked => Ok(false),
            _ => Err(ChangeOutcome::Unchanged),
        }
    }
}
