//! What must hold of pauses: a paused run is given to nobody, one that is to be paused is paused by the next step of a new
//! owner, and a resumed one goes on.

use std::time::Duration;

use piton::store::{ArrivalKind, CommitStep, Effect};
use tokio::time::Instant;

use super::Oracle;

/// See the [module documentation](self).
#[derive(Debug, Default)]
pub(super) struct Pauses {
    is_paused: bool,
    /// Whether its owner was asked to pause it, and has not done so yet.
    is_asked: bool,
    /// Whether it was given to an owner who knew from the start that it is to be paused.
    is_due: bool,
    /// When it was resumed, if nobody has it since.
    resumed_at: Option<Instant>,
}

impl Pauses {
    /// Takes note of what has come to the run's inbox.
    pub(super) fn came(&mut self, kind: &ArrivalKind) {
        self.is_asked |= matches!(kind, ArrivalKind::Pause);
    }

    /// The run was given to a worker. Returns what is wrong.
    pub(super) fn claimed(&mut self, again: bool) -> Option<String> {
        self.resumed_at = None;
        self.is_due |= self.is_asked && !again;
        self.is_paused.then(|| "was given to a worker while it was paused".to_owned())
    }

    /// A step was committed. Returns what is wrong.
    pub(super) fn stepped(&mut self, step: &CommitStep) -> Option<String> {
        let pauses = step.effects.contains(&Effect::Pause);
        let was_due = std::mem::take(&mut self.is_due);
        self.is_asked &= !pauses;
        if self.is_paused && !pauses {
            return Some("was stepped while it was paused".to_owned());
        }
        (was_due && !pauses).then(|| "was stepped and not paused".to_owned())
    }

    /// The run was paused or resumed. Returns what is wrong.
    pub(super) fn set(&mut self, is_paused: bool) -> Option<String> {
        self.resumed_at = (!is_paused).then(Instant::now);
        let was_paused = std::mem::replace(&mut self.is_paused, is_paused);
        (was_paused == is_paused).then(|| "was paused or resumed twice".to_owned())
    }
}

impl Oracle {
    /// Checks that resumed runs go on: where a worker has looked for them undisturbed for as long as `bound`.
    pub(crate) fn check_resumed(&mut self, bound: Duration) {
        let Some((who, _)) = self.undisturbed(bound).into_iter().next() else { return };
        let mut open = self.runs.values_mut().filter(|run| !run.is_closed);
        let is_late = |at: &mut Instant| at.elapsed() > bound;
        let left = open.find_map(|run| {
            run.pauses.resumed_at.take_if(is_late).map(|_| run.workflow_id.clone())
        });
        if let Some(id) = left {
            self.violate(format!("{id} was resumed, and {who} does not go on with it"));
        }
    }
}
