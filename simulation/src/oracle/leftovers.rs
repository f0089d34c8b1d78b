//! The check of signals that no run has taken: they stay in the inbox of the run that closes last.

use piton::model::RunId;
use piton::store::{CommitStep, Effect};

use super::{Oracle, Run};

impl Run {
    /// Records the arrivals that a step moves to the dead letters.
    pub(super) fn set_aside(&mut self, step: &CommitStep) {
        for effect in &step.effects {
            if let Effect::SetAside(letter) = effect {
                self.inbox.remove(&letter.seq);
            }
        }
    }
}

impl Oracle {
    /// The closed runs, each with the numbers of the signals in its inbox.
    pub(crate) fn leftovers(&self) -> Vec<(RunId, Vec<i64>)> {
        let closed = self.runs.iter().filter(|(_, run)| run.is_closed);
        let left = closed.map(|(run_id, run)| {
            let is_last = self.chains.last_of(*run_id) == *run_id;
            let signals = run.inbox.iter().filter(|(_, name)| {
                is_last && name.as_ref().is_some_and(|name| !name.starts_with("update "))
            });
            (*run_id, signals.map(|(seq, _)| *seq).collect())
        });
        left.collect()
    }
}
