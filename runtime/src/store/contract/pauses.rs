//! Pauses: a paused run makes no step until it is resumed.

use super::changes::ChangeOutcome;
use crate::model::{RunStatus, Timestamp};

/// A pause of a run, or a requested one that starts once the owner lets go of the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pause {
    /// When it was requested.
    pub at: Timestamp,
    /// Who requested it.
    pub by: String,
    /// Why, for people.
    pub reason: String,
}

/// The columns of a locked run that decide about pausing and resuming it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pausable {
    pub(crate) status: RunStatus,
    pub(crate) is_owned: bool,
    /// Whether a [`Pause`] is stored for it.
    pub(crate) is_asked: bool,
}

/// When a pause takes effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pausing {
    /// At once.
    Now,
    /// Once the owner, which is notified by an arrival, lets go of the run.
    ByOwner,
}

impl Pausable {
    /// When the pause takes effect, or why the run is not paused.
    pub(crate) fn pause(self) -> Result<Pausing, ChangeOutcome> {
        match self.status {
            RunStatus::Paused => Err(ChangeOutcome::Unchanged),
            status if !status.is_open() => Err(ChangeOutcome::Closed),
            _ if !self.is_owned => Ok(Pausing::Now),
            _ if self.is_asked => Err(ChangeOutcome::Unchanged),
            _ => Ok(Pausing::ByOwner),
        }
    }

    /// Whether the run was paused at once or requested to pause; or why nothing changes.
    pub(crate) fn resume(self) -> Result<bool, ChangeOutcome> {
        match self.status {
            RunStatus::Paused => Ok(true),
            status if !status.is_open() => Err(ChangeOutcome::Closed),
            _ if self.is_asked => Ok(false),
            _ => Err(ChangeOutcome::Unchanged),
        }
    }
}
