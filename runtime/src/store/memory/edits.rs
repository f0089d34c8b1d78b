//! Edits by hand, and the audit table.

use super::state::{News, State};
use super::{Guard, Write};
use crate::model::{RunId, RunStatus, Timestamp};
use crate::store::weight::{Answer, Weight as _};
use crate::store::{AuditEntry, AuditEntryId, EditOutcome, EditRun, Effect, NewAuditEntry};

impl State {
    pub(super) fn edit_run(
        &mut self,
        edit: EditRun,
        now: Timestamp,
        news: &mut News<'_>,
    ) -> EditOutcome {
        let (run_id, arrivals, step) = (edit.run_id, edit.new_arrivals(), edit.step());
        let is_gone = |id| !self.failed_calls.contains_key(id);
        let is_gone = edit.called_again.iter().any(is_gone);
        let Some(row) = self.runs.get_mut(&run_id) else { return EditOutcome::Unknown };
        let owner = row.owner.map(|owner| owner.worker_id);
        if let Some(obstacle) = edit.obstacle(row.status, row.step_no, owner) {
            return obstacle;
        }
        if is_gone {
            return EditOutcome::CallGone;
        }
        if !row.status.is_open() {
            if let Some(open) = self.open.get(&row.workflow_id)
                && !self.left_out.contains(&Guard::Reopened)
            {
                return EditOutcome::IdTaken { run_id: *open };
            }
            self.open.insert(row.workflow_id.clone(), run_id);
            news.wrote(Write::Reopened { run_id });
            self.pauses.remove(&run_id);
        }
        row.step_no = row.step_no.next();
        row.stepped_at = Some(now);
        (row.snapshot, row.state) = (edit.snapshot, edit.state);
        row.definition = Some(edit.definition);
        let is_paused = row.status == RunStatus::Paused;
        let status = if is_paused { RunStatus::Paused } else { RunStatus::Running };
        (row.status, row.closed_at) = (status, None);
        (row.result, row.failure) = (None, None);
        (row.blocked, row.blocked_at) = (None, None);
        row.takeovers = 0;
        let unread = (!row.inbox.is_empty()).then_some(now);
        row.let_go(unread.into_iter().chain(edit.wake_at).min().filter(|_| !is_paused), news);
        for arrival in arrivals {
            self.deliver(arrival, now, news);
        }
        if step.effects.iter().any(|effect| matches!(effect, Effect::Send(_))) {
            news.sent.push(run_id);
        }
        for id in edit.called_again {
            self.call_again(id, news);
        }
        self.take_effects(run_id, edit.step_no, step.effects, now, news);
        let activities = self.activities.iter_mut().filter(|(key, _)| key.run_id == run_id);
        activities.for_each(|(_, row)| row.count_from(edit.attempts));
        self.audit(Some(run_id), edit.audit, now);
        self.counts.transactions += 1;
        EditOutcome::Edited
    }

    pub(super) fn audit(&mut self, run_id: Option<RunId>, entry: NewAuditEntry, at: Timestamp) {
        let id = AuditEntryId(self.audit.len() as i64 + 1);
        self.audit.push(AuditEntry { id, run_id, at, entry });
    }

    pub(super) fn list_audit(
        &self,
        run_id: Option<RunId>,
        before: Option<AuditEntryId>,
        limit: u32,
    ) -> Vec<AuditEntry> {
        let is_meant = |entry: &&AuditEntry| {
            let is_behind = before.is_none_or(|before| entry.id < before);
            is_behind && (run_id.is_none() || entry.run_id == run_id)
        };
        let mut answer = Answer::default();
        let newest = self.audit.iter().rev().filter(is_meant).take(limit as usize);
        newest.take_while(|entry| answer.takes(entry.weight())).cloned().collect()
    }
}
