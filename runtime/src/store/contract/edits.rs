//! Changing the states of runs by hand.

use super::audit::NewAuditEntry;
use crate::model::{DefinitionHash, Handle, RunId, RunStatus, StepNo, Timestamp, WorkerId};
use crate::store::{ArrivalKind, CommitStep, Disposition, Effect, NewArrival};

/// A change of a run's state, see [`Runs::edit_run`](super::Runs::edit_run).
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
    /// When the run falls due of itself; `None` leaves it to what arrives.
    pub wake_at: Option<Timestamp>,
    /// Activities on queues that the new state does not wait for.
    pub given_up: Vec<Handle>,
    /// What the change does beside, as a step that the run makes in this moment would.
    pub effects: Vec<Effect>,
    /// How many attempts count as made of each activity that the effects put on a queue. No two attempts of an activity
    /// have one number, and those made before may still be told about.
    pub attempts: u32,
    /// What arrives for the new state with the change. A run that is over takes nothing, so with arrivals it is not
    /// opened again.
    pub arrivals: Vec<ArrivalKind>,
    /// Whether the run may be one that is over: failed, cancelled or terminated.
    pub reopen: bool,
    /// Who changes it, and why.
    pub audit: NewAuditEntry,
}

/// What became of a change by hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EditOutcome {
    /// The run is in the new state, with one commit more.
    Edited,
    /// There is no such run.
    Unknown,
    /// A worker has the run. It may be asked for again once the run is parked.
    Busy {
        /// That worker.
        worker: WorkerId,
    },
    /// The run has made steps since its state was read, or the change was made before.
    Moved {
        /// Its commits by now.
        step_no: StepNo,
    },
    /// The run is over, and has completed or was not to be opened again.
    Closed {
        /// How it has ended.
        status: RunStatus,
    },
    /// The run was to be opened again, but an open run has its workflow id.
    IdTaken {
        /// That run.
        run_id: RunId,
    },
}

impl EditRun {
    /// What is to be put into the run's inbox.
    pub(crate) fn new_arrivals(&self) -> Vec<NewArrival> {
        let new = |kind: &ArrivalKind| NewArrival {
            run_id: self.run_id,
            kind: kind.clone(),
            dedup_key: None,
            owner: None,
        };
        self.arrivals.iter().map(new).collect()
    }

    /// The change as a step of the run: what is given up, and the effects.
    pub(crate) fn step(&self) -> CommitStep {
        let state = self.state.clone().into();
        let keep = Disposition::Keep { snapshot: Vec::new(), state };
        let given_up = self.given_up.iter().copied().map(Effect::GiveUp);
        let effects = given_up.chain(self.effects.iter().cloned()).collect();
        CommitStep { effects, ..CommitStep::new(self.run_id, self.step_no, keep) }
    }

    /// What keeps a run, which is locked, from being changed, apart from other runs.
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
