//! Runs are paused and resumed.

use crate::model::{BlockedReason, RunId, RunStatus, Timestamp};
use crate::store::contract::changes::arrival;
use crate::store::contract::pauses::{Pausable, Pausing};
use crate::store::memory::state::{News, RunRow, State};
use crate::store::memory::{Guard, Write};
use crate::store::{ArrivalKind, ChangeOutcome, NewAuditEntry, Pause};

impl State {
    fn pausable(&self, row: &RunRow) -> Pausable {
        Pausable {
            status: row.status,
            is_owned: row.owner.is_some(),
            is_asked: self.pauses.contains_key(&row.run_id),
        }
    }

    pub(in crate::store::memory) fn pause_run(
        &mut self,
        run_id: RunId,
        audit: &NewAuditEntry,
        now: Timestamp,
        news: &mut News<'_>,
    ) -> ChangeOutcome {
        let Some(row) = self.runs.get(&run_id) else { return ChangeOutcome::Unknown };
        let pausing = match self.pausable(row).pause() {
            Ok(pausing) => pausing,
            Err(outcome) => return outcome,
        };
        let due_before = row.due_at.filter(|_| row.step_no.0 == 0);
        let pause = Pause { at: now, by: audit.who.clone(), reason: audit.reason.clone() };
        self.pauses.insert(run_id, (pause, due_before));
        match pausing {
            Pausing::Now => self.hold(run_id, news),
            Pausing::ByOwner => {
                _ = self.deliver(arrival(run_id, ArrivalKind::Pause, None), now, news);
            }
        }
        ChangeOutcome::Changed
    }

    /// Pauses a run without an owner, if a pause is requested.
    pub(in crate::store::memory) fn hold(&mut self, run_id: RunId, news: &mut News<'_>) {
        let is_asked = self.pauses.contains_key(&run_id);
        let stays_due = self.lacks(Guard::Paused);
        let Some(row) = self.runs.get_mut(&run_id).filter(|_| is_asked) else { return };
        if matches!(row.blocked, Some(BlockedReason::WorkersDied(_))) {
            row.takeovers = row.takeovers.min(1);
        }
        row.status = RunStatus::Paused;
        row.due_at = row.due_at.filter(|_| stays_due);
        (row.blocked, row.blocked_at) = (None, None);
        news.wrote(Write::Paused { run_id });
    }

    pub(in crate::store::memory) fn resume_run(
        &mut self,
        run_id: RunId,
        now: Timestamp,
        news: &mut News<'_>,
    ) -> ChangeOutcome {
        let Some(row) = self.runs.get(&run_id) else { return ChangeOutcome::Unknown };
        let goes_on = match self.pausable(row).resume() {
            Ok(goes_on) => goes_on,
            Err(outcome) => return outcome,
        };
        let due_before = self.pauses.remove(&run_id).and_then(|(_, due_before)| due_before);
        let stays = self.lacks(Guard::Resumed);
        if let Some(row) = self.runs.get_mut(&run_id).filter(|_| goes_on) {
            let wakes = row.inbox.iter().any(|arrival| arrival.kind.wakes(false));
            row.status = RunStatus::Running;
            let due_at = due_before.filter(|_| !wakes).unwrap_or(now);
            row.let_go(Some(due_at).filter(|_| !stays), news);
            news.wrote(Write::Resumed { run_id });
        }
        ChangeOutcome::Changed
    }
}
