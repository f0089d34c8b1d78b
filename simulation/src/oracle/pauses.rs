//! Pauses: a paused run is assigned to no worker, a new owner pauses a run with a requested pause by its next step, and
//! a resumed run continues.

use std::time::Duration;

use piton::store::{ArrivalKind, CommitStep, Effect};
use tokio::time::Instant;

use super::Oracle;

/// See the [module documentation](self).
#[derive(Debug, Default)]
pub(super) struct Pauses {
    is_paused: bool,
    /// Whether its owner has a request to pause it, and has not done so yet.
    is_asked: bool,
    /// Whether its owner has known of the request since the claim.
    is_due: bool,
    /// When it was resumed, if no worker has claimed it since.
    resumed_at: Option<Instant>,
}

impl Pauses {
    /// Records an arrival of the run.
    pub(super) fn came(&mut self, kind: &ArrivalKind) {
        self.is_asked |= matches!(kind, ArrivalKind::Pause);
    }

    /// Records a claim. Returns a violation.
    pub(super) fn claimed(&mut self, again: bool) -> Option<String> {
        self.resumed_at = None;
        self.is_due |= self.is_asked && !again;
        self.is_paused.then(|| "was given to a worker while it was paused".to_owned())
    }

    /// Records a committed step. Returns a violation.
    pub(super) fn stepped(&mut self, step: &CommitStep) -> Option<String> {
        let pauses = step.effects.contains(&Effect::Pause);
        let was_due = std::mem::take(&mut self.is_due);
        self.is_asked &= !pauses;
        if self.is_paused && !pauses {
            return Some("was stepped while it was paused".to_owned());
        }
        (was_due && !pauses).then(|| "was stepped and not paused".to_owned())
    }

    /// Records that the run was paused or resumed. Returns a violation.
    pub(super) fn set(&mut self, is_paused: bool) -> Option<String> {
        self.resumed_at = (!is_paused).then(Instant::now);
        let was_paused = std::mem::replace(&mut self.is_paused, is_paused);
        (was_paused == is_paused).then(|| "was paused or resumed twice".to_owned())
    }

    /// Whether it was resumed, and no worker has claimed it since. Such a run may be due since a time before its pause.
    pub(super) fn is_resumed(&self) -> bool {
        self.resumed_at.is_some()
    }
}

impl Oracle {
    /// Checks that resumed runs continue if a worker has polled without faults for `bound`.
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
