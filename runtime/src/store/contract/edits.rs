//! Edits of the states of runs by hand.

use super::audit::NewAuditEntry;
use crate::model::{DefinitionHash, Handle, RunId, RunStatus, StepNo, Timestamp, WorkerId};
use crate::store::{ArrivalKind, CommitStep, Disposition, Effect, FailedCallId, NewArrival};

/// An edit of a run's state, see [`Runs::edit_run`](super::Runs::edit_run).
#[derive(Clone, Debug)]
pub struct EditRun {
    /// The run.
    pub run_id: RunId,
    /// Its `step_no` when its state was read.
    pub step_no: StepNo,
    /// The encoded new snapshot.
    pub snapshot: Vec<u8>,
    /// The name of the new state.
    pub state: String,
    /// The definition by which the snapshot is written.
    pub definition: DefinitionHash,
    /// When the run becomes due by itself; `None` leaves it to arrivals.
    pub wake_at: Option<Timestamp>,
    /// Activities on queues that the new state no longer waits for.
    pub given_up: Vec<Handle>,
    /// Further effects of the edit, as of a step that the run makes at this moment.
    pub effects: Vec<Effect>,
    /// The failed calls that the effects put on their queues again. Each is deleted with the edit. If one is not kept any
    /// more, because somebody has put it on its queue again or discarded it, the run is not edited.
    pub called_again: Vec<FailedCallId>,
    /// The number of attempts to count as made for each activity that the effects put on a queue. Attempts of one
    /// activity must have different numbers, and earlier attempts may still report.
    pub attempts: u32,
    /// Arrivals for the new state, delivered with the edit. A closed run accepts none, so it is not reopened by an
    /// edit with arrivals.
    pub arrivals: Vec<ArrivalKind>,
    /// Whether the edit may reopen a run that has failed or was cancelled or terminated.
    pub reopen: bool,
    /// Who changes it, and why.
    pub audit: NewAuditEntry,
}

/// The result of an edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EditOutcome {
    /// The run is in the new state, and `step_no` is one higher.
    Edited,
    /// There is no such run.
    Unknown,
    /// A worker owns the run. Try again once the run is parked.
    Busy {
        /// The owner.
        worker: WorkerId,
    },
    /// The run has made steps since its state was read, or the edit was made before.
    Moved {
        /// Its current `step_no`.
        step_no: StepNo,
    },
    /// The run is closed, and has completed or may not be reopened.
    Closed {
        /// Its status.
        status: RunStatus,
    },
    /// A call that the edit makes again is not among the [failed ones](super::FailedCalls) any more.
    CallGone,
    /// The run was to be reopened, but an open run has its workflow id.
    IdTaken {
        /// That run.
        run_id: RunId,
    },
}

impl EditRun {
    /// The arrivals as rows of the run's inbox.
    pub(crate) fn new_arrivals(&self) -> Vec<NewArrival> {
        let new = |kind: &ArrivalKind| NewArrival {
            run_id: self.run_id,
            kind: kind.clone(),
            dedup_key: None,
            owner: None,
        };
        self.arrivals.iter().map(new).collect()
    }

    /// The edit as a step of the run: the activities given up, and the effects.
    pub(crate) fn step(&self) -> CommitStep {
        let state = self.state.clone().into();
        let keep = Disposition::Keep { snapshot: Vec::new(), state };
        let given_up = self.given_up.iter().copied().map(Effect::GiveUp);
        let effects = given_up.chain(self.effects.iter().cloned()).collect();
        CommitStep { effects, ..CommitStep::new(self.run_id, self.step_no, keep) }
    }

    /// The reason why a locked run cannot be edited, except those that concern other runs.
    pub(crate) fn obstacle(
        &self,
        status: RunStatus,
        step_no: StepNo,
        owner: Option<WorkerId>,
    ) -> Option<EditOutcome> {
        let is_final = matches!(status, RunStatus::Completed | RunStatus::ContinuedAsNew);
        let may_be_reopened = self.reopen && self.arrivals.is_empty();
        let may_be_open = status.is_open() || (may_be_reopened && !is_final);
        match owner {
            Some(worker) => Some(EditOutcome::Busy { worker }),
            None if step_no != self.step_no => Some(EditOutcome::Moved { step_no }),
            None if !may_be_open => Some(EditOutcome::Closed { status }),
            None => None,
        }
    }
}
