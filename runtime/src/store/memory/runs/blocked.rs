//! Blocked runs: finding and adopting them.

use crate::error::StoreError;
use crate::model::{BlockedReason, RunId, RunStatus, Timestamp};
use crate::store::memory::Write;
use crate::store::memory::state::{News, State};
use crate::store::weight::Answer;
use crate::store::{BlockedRun, ClaimedRun, WorkerLease};

impl State {
    pub(in crate::store::memory) fn unblock_runs(
        &mut self,
        workflows: &[&str],
        run_id: Option<RunId>,
        now: Timestamp,
        news: &mut News<'_>,
    ) -> u64 {
        let mut unblocked = 0;
        for row in self.runs.values_mut() {
            let meant = match run_id {
                Some(run_id) => row.run_id == run_id,
                None => workflows.contains(&row.workflow.as_str()),
            };
            let lost_owners = matches!(row.blocked, Some(BlockedReason::WorkersDied(_)));
            if meant && row.status == RunStatus::Blocked && (run_id.is_some() || !lost_owners) {
                if lost_owners {
                    row.takeovers = row.takeovers.min(1);
                }
                row.status = RunStatus::Running;
                (row.blocked, row.blocked_at) = (None, None);
                row.let_go(Some(now), news);
                news.wrote(Write::Unblocked { run_id: row.run_id });
                unblocked += 1;
            }
        }
        unblocked
    }

    pub(super) fn find_blocked(
        &self,
        workflows: &[&str],
        after: Option<RunId>,
        limit: usize,
    ) -> Vec<BlockedRun> {
        let behind = self.runs.values().filter(|row| after.is_none_or(|after| row.run_id > after));
        let blocked = behind.filter_map(|row| {
            let reason = row.blocked.clone().filter(BlockedReason::is_of_the_build)?;
            workflows.contains(&row.workflow.as_str()).then(|| BlockedRun {
                run_id: row.run_id,
                step_no: row.step_no,
                workflow: row.workflow.clone(),
                reason,
            })
        });
        blocked.take(limit).collect()
    }

    pub(super) fn adopt_blocked(
        &mut self,
        worker: WorkerLease,
        run_ids: &[RunId],
        inbox_limit: u32,
        now: Timestamp,
        news: &mut News<'_>,
    ) -> Result<Vec<ClaimedRun>, StoreError> {
        self.check(worker, now)?;
        let (mut adopted, mut inboxes) = (Vec::new(), Answer::default());
        for row in self.runs.values_mut().filter(|row| run_ids.contains(&row.run_id)) {
            if row.status == RunStatus::Blocked {
                (row.status, row.owner) = (RunStatus::Running, Some(worker));
                (row.blocked, row.blocked_at) = (None, None);
                news.wrote(Write::Unblocked { run_id: row.run_id });
                row.tell_claim(worker, false, news);
                adopted.push(row.claimed(inbox_limit, &mut inboxes));
            }
        }
        self.counts.transactions += u64::from(!adopted.is_empty());
        Ok(adopted)
    }
}
