//! Queries of runs by people and clients.

use async_trait::async_trait;
use uuid::Uuid;

use super::lists::{attribute_names, count, labels, list};
use super::server::takes_writes;
use super::{
    PostgresStore, audit, definition, details, failed, history, kin, named_after, named_by,
    names_nothing, workflow_id,
};
use crate::error::StoreError;
use crate::filter::{Column, Filter};
use crate::model::{RunId, StepNo};
use crate::store::rows::{DefinitionCountRow, EndingRow, RunRow, read_counts, read_ending};
use crate::store::weight::{ending_bytes, fits};
use crate::store::{
    AuditEntry, AuditEntryId, ChainEntry, ChildRecord, DefinitionCount, FoundEnding, Kin, LastRun,
    PastState, PastStep, RunCount, RunDetails, RunKey, RunQuery, RunRecord, Visibility,
};

#[async_trait]
impl Visibility for PostgresStore {
    async fn find_run(&self, key: &RunKey) -> Result<Option<RunRecord>, StoreError> {
        self.asked("find_run", find(self, key)).await
    }

    async fn find_snapshot(&self, run_id: RunId) -> Result<Option<Vec<u8>>, StoreError> {
        self.asked("find_snapshot", find_snapshot(self, run_id)).await
    }

    async fn find_endings(&self, run_ids: &[RunId]) -> Result<Vec<FoundEnding>, StoreError> {
        self.asked("find_endings", find_endings(self, run_ids)).await
    }

    async fn list_runs(&self, query: RunQuery<'_>) -> Result<Vec<RunRecord>, StoreError> {
        self.asked("list_runs", list(self, query)).await
    }

    async fn count_runs(
        &self,
        filter: &Filter,
        group_by: Option<Column>,
    ) -> Result<Vec<RunCount>, StoreError> {
        self.asked("count_runs", count(self, filter, group_by)).await
    }

    async fn list_attribute_names(&self, limit: u32) -> Result<Vec<String>, StoreError> {
        self.asked("list_attribute_names", attribute_names(self, limit)).await
    }

    async fn count_by_definition(
        &self,
        workflow: &str,
    ) -> Result<Vec<DefinitionCount>, StoreError> {
        self.asked("count_by_definition", count_by_definition(self, workflow)).await
    }

    async fn find_kin(&self, run_id: RunId) -> Result<Option<Kin>, StoreError> {
        self.asked("find_kin", kin::find(self, run_id)).await
    }

    async fn find_last_runs(
        &self,
        first_run_ids: &[RunId],
    ) -> Result<Vec<Option<LastRun>>, StoreError> {
        self.asked("find_last_runs", kin::last_runs(self, first_run_ids)).await
    }

    async fn list_chain(
        &self,
        first_run_id: RunId,
        after: Option<u64>,
        limit: u32,
    ) -> Result<Vec<ChainEntry>, StoreError> {
        self.asked("list_chain", kin::chain(self, first_run_id, after, limit)).await
    }

    async fn list_children(
        &self,
        first_run_id: RunId,
        after: Option<RunId>,
        limit: u32,
    ) -> Result<Vec<ChildRecord>, StoreError> {
        self.asked("list_children", kin::children(self, first_run_id, after, limit)).await
    }

    async fn find_details(&self, run_id: RunId) -> Result<Option<RunDetails>, StoreError> {
        self.asked("find_details", details::find(self, run_id)).await
    }

    async fn list_history(&self, run_id: RunId) -> Result<Vec<PastStep>, StoreError> {
        self.asked("list_history", history::list(self, run_id)).await
    }

    async fn find_history(
        &self,
        run_id: RunId,
        step_no: StepNo,
    ) -> Result<Option<PastState>, StoreError> {
        self.asked("find_history", history::find(self, run_id, step_no)).await
    }

    async fn list_audit(
        &self,
        run_id: Option<RunId>,
        before: Option<AuditEntryId>,
        limit: u32,
    ) -> Result<Vec<AuditEntry>, StoreError> {
        self.asked("list_audit", audit::list(self, run_id, before, limit)).await
    }
}

/// The common columns of all records; a macro, because only literals can be concatenated in constants.
macro_rules! record {
    ($condition:literal) => {
        concat!(
            "SELECT run_id, ",
            workflow_id!("piton_runs"),
            ", ",
            definition!("piton_runs"),
            ", workflow, status, state, step_no, worker_id, due_at, blocked, blocked_at, started_at, \
             stepped_at, closed_at, result, failure, ",
            labels!("piton_runs"),
            " FROM piton_runs WHERE ",
            takes_writes!(),
            " AND ",
            $condition
        )
    };
}

const BY_RUN_ID: &str = record!("run_id = $1");

/// The open run first, then the one started last by the database's clock: run ids contain clients' times. `$2` is
/// the run whose id is also the requested workflow id.
const BY_WORKFLOW_ID: &str = record!(
    "run_id IN ((SELECT run_id FROM piton_runs WHERE workflow_id = $1 AND closed_at IS NULL), \
     (SELECT run_id FROM piton_runs WHERE workflow_id = $1 AND closed_at IS NOT NULL \
     ORDER BY started_at DESC, run_id DESC LIMIT 1), \
     (SELECT run_id FROM piton_runs WHERE run_id = $2 AND workflow_id IS NULL)) \
     ORDER BY closed_at IS NULL DESC, started_at DESC, run_id DESC LIMIT 1"
);

/// Rows that do not fit in the response are not read.
const ENDINGS: &str = concat!(
    "SELECT status, result, failure FROM (SELECT place, status, result, failure, ",
    ending_bytes!(),
    " AS bytes, sum(",
    ending_bytes!(),
    ") OVER (ORDER BY place ROWS UNBOUNDED PRECEDING) AS upto \
     FROM unnest($1::uuid[]) WITH ORDINALITY AS asked (run_id, place) \
     LEFT JOIN piton_runs AS run ON ",
    named_by!("run", "asked"),
    ") AS sized WHERE ",
    fits!("sized"),
    " AND ",
    takes_writes!(),
    " ORDER BY place"
);

const COUNT_BY_DEFINITION: &str = concat!(
    "SELECT ",
    definition!("counted"),
    ", state, status, runs FROM (SELECT definition, state, status, count(*) AS runs FROM piton_runs WHERE ",
    takes_writes!(),
    " AND workflow = $1 AND closed_at IS NULL GROUP BY definition, state, status) AS counted"
);

const SNAPSHOT: &str =
    concat!("SELECT snapshot FROM piton_runs WHERE ", takes_writes!(), " AND run_id = $1");

pub(super) async fn find(
    store: &PostgresStore,
    key: &RunKey,
) -> Result<Option<RunRecord>, StoreError> {
    let query = match key {
        RunKey::WorkflowId(id) if names_nothing(id) => return Ok(None),
        RunKey::RunId(run_id) => sqlx::query_as::<_, RunRow>(BY_RUN_ID).bind(run_id.as_uuid()),
        RunKey::WorkflowId(id) => sqlx::query_as(BY_WORKFLOW_ID).bind(id).bind(named_after(id)),
    };
    let failed = failed("find_run");
    let mut lane = store.pool.lane().await.map_err(failed)?;
    let row = query.fetch_optional(lane.get()).await.map_err(failed)?;
    lane.done();
    row.map(TryInto::try_into).transpose()
}

pub(super) async fn find_snapshot(
    store: &PostgresStore,
    run_id: RunId,
) -> Result<Option<Vec<u8>>, StoreError> {
    let failed = failed("find_snapshot");
    let mut lane = store.pool.lane().await.map_err(failed)?;
    let snapshot = sqlx::query_scalar(SNAPSHOT).bind(run_id.as_uuid());
    let snapshot = snapshot.fetch_optional(lane.get()).await.map_err(failed)?;
    lane.done();
    Ok(snapshot)
}

pub(super) async fn find_endings(
    store: &PostgresStore,
    run_ids: &[RunId],
) -> Result<Vec<FoundEnding>, StoreError> {
    let asked: Vec<Uuid> = run_ids.iter().map(|run_id| run_id.as_uuid()).collect();
    let failed = failed("find_endings");
    let mut lane = store.calls.lane().await.map_err(failed)?;
    let rows: Vec<EndingRow> =
        sqlx::query_as(ENDINGS).bind(asked).fetch_all(lane.get()).await.map_err(failed)?;
    lane.done();
    rows.into_iter().map(read_ending).collect()
}

pub(super) async fn count_by_definition(
    store: &PostgresStore,
    workflow: &str,
) -> Result<Vec<DefinitionCount>, StoreError> {
    if names_nothing(workflow) {
        return Ok(Vec::new());
    }
    let failed = failed("count_by_definition");
    let mut lane = store.pool.lane().await.map_err(failed)?;
    let rows: Vec<DefinitionCountRow> = sqlx::query_as(COUNT_BY_DEFINITION)
        .bind(workflow)
        .fetch_all(lane.get())
        .await
        .map_err(failed)?;
    lane.done();
    read_counts(rows)
}
