//! Changes of single runs by users, each with an audit entry.

use super::audit::NewAuditEntry;
use crate::model::RunId;
use crate::store::{ArrivalKind, ArrivalOutcome, NewArrival};

/// A change of a run, see [`Runs::change_run`](super::Runs::change_run).
#[derive(Clone, Debug)]
pub struct ChangeRun {
    /// The run.
    pub run_id: RunId,
    /// What becomes of it.
    pub change: RunChange,
    /// Who changes it, and why.
    pub audit: NewAuditEntry,
}

/// What people do to a run.
#[derive(Clone, Debug)]
pub enum RunChange {
    /// Something arrives for it.
    Deliver {
        /// What.
        kind: ArrivalKind,
        /// By which a repetition is known.
        dedup_key: Option<String>,
    },
    /// It is terminated, as by [`Runs::terminate_run`](super::Runs::terminate_run).
    Terminate {
        /// Why, for people.
        reason: String,
    },
    /// It is no longer blocked, as by [`Runs::unblock_runs`](super::Runs::unblock_runs).
    Unblock,
    /// It is paused: it takes no step, and is due at no time, until it is resumed. What arrives is kept. If a worker has
    /// it, the worker is told by an arrival, [`ArrivalKind::Pause`], and lets go of it with an
    /// [effect](crate::store::Effect::Pause) of a commit. A run that is blocked is no longer so.
    Pause,
    /// It is no longer paused, or no longer to be: due at once, or, if it had not begun, when it was to.
    Resume,
    /// It is removed with its rows, if it is over. What it has sent and nobody has taken yet stays and is delivered,
    /// and so do dead letters and audit entries.
    Delete,
}

/// What became of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeOutcome {
    /// It was made, and the audit entry written.
    Changed,
    /// There was nothing to change, or the same change was made before: the dedup key is known, the run was terminated
    /// for this reason, or is not blocked, is paused already, or not at all. No entry was written.
    Unchanged,
    /// There is no such run.
    Unknown,
    /// The run is over.
    Closed,
    /// The run is open, and only one that is over can be deleted.
    Open,
}

impl ChangeOutcome {
    /// Of something that was to arrive.
    pub(crate) fn of_arrival(outcome: &ArrivalOutcome) -> Self {
        match outcome {
            ArrivalOutcome::Accepted { .. } => Self::Changed,
            ArrivalOutcome::Duplicate => Self::Unchanged,
            ArrivalOutcome::Unknown => Self::Unknown,
            // Nothing arrives here in the name of an owner.
            ArrivalOutcome::Closed | ArrivalOutcome::NotOwner => Self::Closed,
        }
    }

    /// Of a run that was not changed, by whether it is open; `None` if there is none.
    pub(crate) fn of_unchanged(is_open: Option<bool>) -> Self {
        match is_open {
            None => Self::Unknown,
            Some(true) => Self::Unchanged,
            Some(false) => Self::Closed,
        }
    }
}

/// What arrives for a run, as others put it in.
pub(crate) fn arrival(run_id: RunId, kind: ArrivalKind, dedup_key: Option<String>) -> NewArrival {
    NewArrival { run_id, kind, dedup_key, owner: None }
}
