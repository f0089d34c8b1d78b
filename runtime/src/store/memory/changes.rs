//! Changes of runs by operators.

use super::state::{News, State};
use crate::model::Timestamp;
use crate::store::contract::changes::arrival;
use crate::store::{ChangeOutcome, ChangeRun, RunChange};

impl State {
    pub(super) fn change_run(
        &mut self,
        change: ChangeRun,
        now: Timestamp,
        news: &mut News<'_>,
    ) -> ChangeOutcome {
        let ChangeRun { run_id, change, audit } = change;
        let is_open = self.runs.get(&run_id).map(|row| row.status.is_open());
        let outcome = match change {
            RunChange::Deliver { kind, dedup_key } => {
                let outcome = self.deliver(arrival(run_id, kind, dedup_key), now, news);
                ChangeOutcome::of_arrival(&outcome)
            }
            RunChange::Terminate { reason } => {
                let terminated = self.terminate_run(run_id, &reason, now, news);
                match (terminated, is_open) {
                    (true, Some(true)) => ChangeOutcome::Changed,
                    // It was terminated for the same reason before.
                    (true, _) => ChangeOutcome::Unchanged,
                    (false, is_open) => ChangeOutcome::of_unchanged(is_open),
                }
            }
            RunChange::Unblock => match self.unblock_runs(&[], Some(run_id), now, news) {
                0 => ChangeOutcome::of_unchanged(is_open),
                _ => ChangeOutcome::Changed,
            },
            RunChange::Pause => self.pause_run(run_id, &audit, now, news),
            RunChange::Resume => self.resume_run(run_id, now, news),
            RunChange::Delete => match is_open {
                None => ChangeOutcome::Unknown,
                Some(true) => ChangeOutcome::Open,
                Some(false) => {
                    self.remove_run(run_id);
                    ChangeOutcome::Changed
                }
            },
        };
        if outcome == ChangeOutcome::Changed {
            self.counts.transactions += 1;
            self.audit(Some(run_id), audit, now);
        }
        outcome
    }
}
