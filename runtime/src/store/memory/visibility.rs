//! What is asked of the rows without changing them.

use async_trait::async_trait;

use super::MemoryStore;
use super::state::{RunRow, State};
use crate::error::StoreError;
use crate::model::{RunId, RunStatus, StepNo};
use crate::store::weight::{Answer, Weight as _};
use crate::store::{
    AuditEntry, AuditEntryId, ChainEntry, ChildRecord, DefinitionCount, FoundEnding, Kin,
    PastState, PastStep, RunDetails, RunFilter, RunKey, RunRecord, Visibility,
};

#[async_trait]
impl Visibility for MemoryStore {
    async fn find_run(&self, key: &RunKey) -> Result<Option<RunRecord>, StoreError> {
        self.transition("find_run", |state, _, _| Ok(state.find_run(key))).await
    }

    async fn find_snapshot(&self, run_id: RunId) -> Result<Option<Vec<u8>>, StoreError> {
        self.transition("find_snapshot", |state, _, _| {
            Ok(state.runs.get(&run_id).map(|row| row.snapshot.clone()))
        })
        .await
    }

    async fn find_endings(&self, run_ids: &[RunId]) -> Result<Vec<FoundEnding>, StoreError> {
        self.transition("find_endings", |state, _, _| Ok(state.find_endings(run_ids))).await
    }

    async fn list_runs(
        &self,
        filter: &RunFilter,
        before: Option<RunId>,
        limit: u32,
    ) -> Result<Vec<RunRecord>, StoreError> {
        self.transition("list_runs", |state, _, _| Ok(state.list_runs(filter, before, limit))).await
    }

    async fn count_runs(&self, filter: &RunFilter) -> Result<Vec<(RunStatus, u64)>, StoreError> {
        self.transition("count_runs", |state, _, _| {
            let count = |status| {
                let runs = state.matching(filter).filter(|row| row.status == status).count();
                (status, runs as u64)
            };
            Ok(RunStatus::ALL.into_iter().map(count).filter(|(_, runs)| *runs > 0).collect())
        })
        .await
    }

    async fn count_by_definition(
        &self,
        workflow: &str,
    ) -> Result<Vec<DefinitionCount>, StoreError> {
        self.transition(
            "count_by_definition",
            |state, _, _| Ok(state.count_by_definition(workflow)),
        )
        .await
    }

    async fn find_kin(&self, run_id: RunId) -> Result<Option<Kin>, StoreError> {
        self.transition("find_kin", |state, _, _| Ok(state.find_kin(run_id))).await
    }

    async fn list_chain(
        &self,
        first_run_id: RunId,
        after: Option<u64>,
        limit: u32,
    ) -> Result<Vec<ChainEntry>, StoreError> {
        self.transition("list_chain", |state, _, _| {
            Ok(state.list_chain(first_run_id, after, limit))
        })
        .await
    }

    async fn list_children(
        &self,
        first_run_id: RunId,
        after: Option<RunId>,
        limit: u32,
    ) -> Result<Vec<ChildRecord>, StoreError> {
        self.transition("list_children", |state, _, _| {
            Ok(state.list_children(first_run_id, after, limit))
        })
        .await
    }

    async fn find_details(&self, run_id: RunId) -> Result<Option<RunDetails>, StoreError> {
        self.transition("find_details", |state, _, _| Ok(state.find_details(run_id))).await
    }

    async fn list_history(&self, run_id: RunId) -> Result<Vec<PastStep>, StoreError> {
        self.transition("list_history", |state, _, _| Ok(state.list_history(run_id))).await
    }

    async fn find_history(
        &self,
        run_id: RunId,
        step_no: StepNo,
    ) -> Result<Option<PastState>, StoreError> {
        self.transition("find_history", |state, _, _| Ok(state.find_history(run_id, step_no))).await
    }

    async fn list_audit(
        &self,
        run_id: Option<RunId>,
        before: Option<AuditEntryId>,
        limit: u32,
    ) -> Result<Vec<AuditEntry>, StoreError> {
        self.transition("list_audit", |state, _, _| Ok(state.list_audit(run_id, before, limit)))
            .await
    }
}

impl State {
    pub(super) fn count_by_definition(&self, workflow: &str) -> Vec<DefinitionCount> {
        let mut counts: Vec<DefinitionCount> = Vec::new();
        let is_meant = |row: &&RunRow| row.status.is_open() && row.workflow == workflow;
        for row in self.runs.values().filter(is_meant) {
            let of_row = |count: &&mut DefinitionCount| {
                let is_same = (count.definition, count.status) == (row.definition, row.status);
                is_same && count.state == row.state
            };
            match counts.iter_mut().find(of_row) {
                Some(count) => count.runs += 1,
                None => counts.push(DefinitionCount {
                    definition: row.definition,
                    state: row.state.clone(),
                    status: row.status,
                    runs: 1,
                }),
            }
        }
        counts.sort_by(DefinitionCount::compare);
        counts
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
                && filter.state.as_ref().is_none_or(|state| row.state == *state)
                && filter.definition.is_none_or(|hash| row.definition == Some(hash))
        })
    }
}
