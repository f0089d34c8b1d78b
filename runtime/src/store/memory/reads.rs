//! What is asked of the rows without changing them.

use super::Held;
use super::state::{News, RunRow, State};
use crate::model::RunId;
use crate::store::weight::{Answer, Weight as _};
use crate::store::{FoundEnding, ReviewedRuns, RunFilter, RunKey, RunRecord, WorkerLease};

impl State {
    pub(super) fn review_runs(
        &self,
        worker: WorkerLease,
        held: &[(RunId, i64)],
        news: &News<'_>,
    ) -> ReviewedRuns {
        news.holds(worker, Held::Runs(held));
        let mut reviewed = ReviewedRuns::default();
        for (run_id, read) in held {
            match self.runs.get(run_id).filter(|row| row.owner == Some(worker)) {
                None => reviewed.lost.push(*run_id),
                Some(row) if row.inbox_count > *read => reviewed.unread.push(*run_id),
                Some(_) => {}
            }
        }
        reviewed
    }

    pub(super) fn find_run(&self, key: &RunKey) -> Option<RunRecord> {
        let row = match key {
            RunKey::RunId(run_id) => self.runs.get(run_id),
            RunKey::WorkflowId(id) => match self.open.get(id) {
                Some(run_id) => self.runs.get(run_id),
                None => {
                    let runs = self.runs.iter().filter(|(_, row)| row.workflow_id == *id);
                    runs.max_by_key(|(run_id, row)| (row.started_at, **run_id)).map(|(_, row)| row)
                }
            },
        };
        row.map(RunRow::record)
    }

    pub(super) fn find_endings(&self, run_ids: &[RunId]) -> Vec<FoundEnding> {
        let found = |run_id| match self.runs.get(run_id) {
            None => FoundEnding::Unknown,
            Some(row) if row.status.is_open() => FoundEnding::Open,
            Some(row) => FoundEnding::Closed(row.ending()),
        };
        let mut answer = Answer::default();
        run_ids.iter().map(found).take_while(|found| answer.takes(found.weight())).collect()
    }

    pub(super) fn list_runs(
        &self,
        filter: &RunFilter,
        before: Option<RunId>,
        limit: u32,
    ) -> Vec<RunRecord> {
        let is_behind = |row: &&RunRow| before.is_none_or(|before| row.run_id < before);
        let runs = self.matching(filter).rev().filter(is_behind).map(RunRow::record);
        let mut answer = Answer::default();
        runs.take(limit as usize).take_while(|run| answer.takes(run.weight())).collect()
    }

    pub(super) fn matching(&self, filter: &RunFilter) -> impl DoubleEndedIterator<Item = &RunRow> {
        self.runs.values().filter(move |row| {
            filter.workflow.as_ref().is_none_or(|workflow| row.workflow == *workflow)
                && filter.status.is_none_or(|status| row.status == status)
        })
    }
}
