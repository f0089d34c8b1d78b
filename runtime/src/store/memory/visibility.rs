//! Queries that change nothing.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use async_trait::async_trait;

use super::MemoryStore;
use super::state::{RunRow, State};
use crate::error::StoreError;
use crate::filter::evaluate::{Cell, Row};
use crate::filter::{Column, Filter};
use crate::model::{AttributeValue, RunId, StepNo, Timestamp};
use crate::store::weight::{Answer, Weight as _};
use crate::store::{
    AuditEntry, AuditEntryId, ChainEntry, ChildRecord, DefinitionCount, FoundEnding, Kin, LastRun,
    PastState, PastStep, RunCount, RunDetails, RunKey, RunOrder, RunQuery, RunRecord, Visibility,
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

    async fn list_runs(&self, query: RunQuery<'_>) -> Result<Vec<RunRecord>, StoreError> {
        self.transition("list_runs", |state, now, _| Ok(state.list_runs(query, now))).await
    }

    async fn count_runs(
        &self,
        filter: &Filter,
        group_by: Option<Column>,
    ) -> Result<Vec<RunCount>, StoreError> {
        self.transition("count_runs", |state, now, _| Ok(state.count_runs(filter, group_by, now)))
            .await
    }

    async fn list_attribute_names(&self, limit: u32) -> Result<Vec<String>, StoreError> {
        self.transition("list_attribute_names", |state, _, _| {
            let names = state.runs.values().flat_map(|row| row.attributes.keys());
            let names: BTreeSet<&String> = names.collect();
            Ok(names.into_iter().take(limit as usize).cloned().collect())
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

    async fn find_last_runs(
        &self,
        first_run_ids: &[RunId],
    ) -> Result<Vec<Option<LastRun>>, StoreError> {
        self.transition("find_last_runs", |state, _, _| {
            Ok(first_run_ids.iter().map(|first| state.find_last_run(*first)).collect())
        })
        .await
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

    pub(super) fn list_runs(&self, query: RunQuery<'_>, now: Timestamp) -> Vec<RunRecord> {
        let condition = query.condition(now);
        let matching = self.runs.values().rev().filter(|row| condition.holds(*row));
        let limit = query.limit as usize;
        let mut answer = Answer::default();
        if query.order == RunOrder::default() {
            // Already in this order.
            let runs = matching.take(limit).map(RunRow::record);
            return runs.take_while(|run| answer.takes(run.weight())).collect();
        }
        let mut runs: Vec<RunRecord> = matching.map(RunRow::record).collect();
        runs.sort_by(|one, other| query.order.compare(one, other));
        runs.into_iter().take(limit).take_while(|run| answer.takes(run.weight())).collect()
    }

    pub(super) fn count_runs(
        &self,
        filter: &Filter,
        group_by: Option<Column>,
        now: Timestamp,
    ) -> Vec<RunCount> {
        let condition = filter.for_store(now);
        let matching = self.runs.values().filter(|row| condition.holds(*row));
        let Some(column) = group_by else {
            return vec![RunCount { key: None, runs: matching.count() as u64 }];
        };
        let mut counts: BTreeMap<Option<String>, u64> = BTreeMap::new();
        for row in matching {
            *counts.entry(row.column(column).map(|cell| cell.group())).or_default() += 1;
        }
        counts.into_iter().map(|(key, runs)| RunCount { key, runs }).collect()
    }
}

impl Row for RunRow {
    fn column(&self, column: Column) -> Option<Cell<'_>> {
        let text = |text| Some(Cell::Text(Cow::Borrowed(text)));
        match column {
            Column::Workflow => text(&self.workflow),
            Column::WorkflowId => text(&self.workflow_id),
            Column::RunId => Some(Cell::RunId(self.run_id)),
            Column::Status => text(self.status.as_str()),
            Column::State => text(&self.state),
            Column::Definition => self.definition.map(Cell::Definition),
            Column::StartedAt => Some(Cell::Time(self.started_at)),
            Column::ClosedAt => self.closed_at.map(Cell::Time),
            Column::DueAt => self.due_at.map(Cell::Time),
            Column::BlockedAt => self.blocked_at.map(Cell::Time),
            Column::Since => {
                let since = self.closed_at.or(self.blocked_at).or(self.stepped_at);
                Some(Cell::Time(since.unwrap_or(self.started_at)))
            }
            Column::BlockedKind => self.blocked.as_ref().and_then(|reason| text(reason.kind())),
        }
    }

    fn attribute(&self, name: &str) -> Option<&AttributeValue> {
        self.attributes.get(name)
    }

    fn variable(&self, _: &[String]) -> Option<Cow<'_, serde_json::Value>> {
        None
    }
}
