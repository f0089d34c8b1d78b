//! Changes of single runs by users, each with an audit entry.

use super::audit::NewAuditEntry;
use crate::model::RunId;
use crate::store::{ArrivalKind, ArrivalOutcome, NewArrival};

/// A change of a run, see [`Runs::change_run`](super::Runs::change_run).
#[derive(Clone, Debug)]
pub struct ChangeRun {
    /// The run.
    pub run_id: RunId,
    /// What to do with it.
    pub change: RunChange,
    /// Who changes it, and why.
    pub audit: NewAuditEntry,
}

/// A change that an operator makes to a run.
#[derive(Clone, Debug)]
pub enum RunChange {
    /// Delivers an arrival.
    Deliver {
        /// What.
        kind: ArrivalKind,
        /// The key that detects a repetition.
        dedup_key: Option<String>,
    },
    /// Terminates the run, as [`Runs::terminate_run`](super::Runs::terminate_run) does.
    Terminate {
        /// Why, for people.
        reason: String,
    },
    /// Unblocks the run, as [`Runs::unblock_runs`](super::Runs::unblock_runs) does.
    Unblock,
    /// Pauses the run: it makes no step and has no due time until it is resumed. Its inbox still accepts arrivals. If a
    /// worker owns the run, an arrival, [`ArrivalKind::Pause`], requests the worker to release it, which it does with
    /// an [effect](crate::store::Effect::Pause) of a commit. A blocked run is unblocked.
    Pause,
    /// Ends the pause, or withdraws a requested one. The run is due at once or, if it has not begun, at its start
    /// time.
    Resume,
    /// Deletes a closed run with its rows. Messages that it has sent and that are still in the outbox are delivered
    /// nevertheless. Dead letters and audit entries stay.
    Delete,
}

/// The result of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeOutcome {
    /// The change was made, and its audit entry written.
    Changed,
    /// Nothing had to change, or the same change was made before: the dedup key is known, the run was terminated
    /// for this reason, is not blocked, is already paused, or is not paused. No entry was written.
    Unchanged,
    /// There is no such run.
    Unknown,
    /// The run is closed.
    Closed,
    /// The run is open, and only a closed run can be deleted.
    Open,
}

impl ChangeOutcome {
    /// The result for a delivered arrival.
    pub(crate) fn of_arrival(outcome: &ArrivalOutcome) -> Self {
        match outcome {
            ArrivalOutcome::Accepted { .. } => Self::Changed,
            ArrivalOutcome::Duplicate | ArrivalOutcome::KeyTaken { .. } => Self::Unchanged,
            ArrivalOutcome::Unknown => Self::Unknown,
            // Arrivals of operators name no owner.
            ArrivalOutcome::Closed | ArrivalOutcome::NotOwner => Self::Closed,
        }
    }

    /// The result for a run that was not changed: `Some(true)` if it is open, `None` if there is none.
    pub(crate) fn of_unchanged(is_open: Option<bool>) -> Self {
        match is_open {
            None => Self::Unknown,
            Some(true) => Self::Unchanged,
            Some(false) => Self::Closed,
        }
    }
}

/// An arrival from outside the run's owner.
pub(crate) fn arrival(run_id: RunId, kind: ArrivalKind, dedup_key: Option<String>) -> NewArrival {
    NewArrival { run_id, kind, dedup_key, owner: None }
}
