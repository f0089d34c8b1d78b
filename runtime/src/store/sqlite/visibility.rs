//! Queries of runs by people and clients.

use async_trait::async_trait;

use super::lists::{attribute_names, count, labels, list, record_columns};
use super::script::{MAX_ROWS, Script};
use super::{SqliteStore, audit, details, failed, history, kin};
use crate::error::StoreError;
use crate::filter::{Column, Filter};
use crate::model::{RunId, StepNo};
use crate::store::rows::{DefinitionCountRow, EndingRow, RunRow, read_counts, read_ending};
use crate::store::weight::{Weight as _, ending_bytes, fits};
use crate::store::{
    AuditEntry, AuditEntryId, ChainEntry, ChildRecord, DefinitionCount, FoundEnding, Kin, LastRun,
    PastState, PastStep, RunCount, RunDetails, RunKey, RunQuery, RunRecord, Visibility,
};

#[async_trait]
impl Visibility for SqliteStore {
    async fn find_run(&self, key: &RunKey) -> Result<Option<RunRecord>, StoreError> {
        find(self, key).await
    }

    async fn find_snapshot(&self, run_id: RunId) -> Result<Option<Vec<u8>>, StoreError> {
        find_snapshot(self, run_id).await
    }

    async fn find_endings(&self, run_ids: &[RunId]) -> Result<Vec<FoundEnding>, StoreError> {
        find_endings(self, run_ids).await
    }

    async fn list_runs(&self, query: RunQuery<'_>) -> Result<Vec<RunRecord>, StoreError> {
        list(self, query).await
    }

    async fn count_runs(
        &self,
        filter: &Filter,
        group_by: Option<Column>,
    ) -> Result<Vec<RunCount>, StoreError> {
        count(self, filter, group_by).await
    }

    async fn list_attribute_names(&self, limit: u32) -> Result<Vec<String>, StoreError> {
        attribute_names(self, limit).await
    }

    async fn count_by_definition(
        &self,
        workflow: &str,
    ) -> Result<Vec<DefinitionCount>, StoreError> {
        count_by_definition(self, workflow).await
    }

    async fn find_kin(&self, run_id: RunId) -> Result<Option<Kin>, StoreError> {
        kin::find(self, run_id).await
    }

    async fn find_last_runs(
        &self,
        first_run_ids: &[RunId],
    ) -> Result<Vec<Option<LastRun>>, StoreError> {
        kin::last_runs(self, first_run_ids).await
    }

    async fn list_chain(
        &self,
        first_run_id: RunId,
        after: Option<u64>,
        limit: u32,
    ) -> Result<Vec<ChainEntry>, StoreError> {
        kin::chain(self, first_run_id, after, limit).await
    }

    async fn list_children(
        &self,
        first_run_id: RunId,
        after: Option<RunId>,
        limit: u32,
    ) -> Result<Vec<ChildRecord>, StoreError> {
        kin::children(self, first_run_id, after, limit).await
    }

    async fn find_details(&self, run_id: RunId) -> Result<Option<RunDetails>, StoreError> {
        details::find(self, run_id).await
    }

    async fn list_history(&self, run_id: RunId) -> Result<Vec<PastStep>, StoreError> {
        history::list(self, run_id).await
    }

    async fn find_history(
        &self,
        run_id: RunId,
        step_no: StepNo,
    ) -> Result<Option<PastState>, StoreError> {
        history::find(self, run_id, step_no).await
    }

    async fn list_audit(
        &self,
        run_id: Option<RunId>,
        before: Option<AuditEntryId>,
        limit: u32,
    ) -> Result<Vec<AuditEntry>, StoreError> {
        audit::list(self, run_id, before, limit).await
    }
}

const RECORD: &str =
    concat!("SELECT ", record_columns!(), ", ", labels!("piton_runs"), " FROM piton_runs ");

const BY_RUN_ID: &str = "WHERE run_id = ?";

/// The open run first, then the one started last by the database's clock: run ids contain clients' times.
const BY_WORKFLOW_ID: &str = "WHERE run_id IN ( \
    (SELECT run_id FROM piton_runs WHERE workflow_id = ?1 AND closed_at IS NULL), \
    (SELECT run_id FROM piton_runs WHERE workflow_id = ?1 AND closed_at IS NOT NULL \
    ORDER BY started_at DESC, run_id DESC LIMIT 1)) ORDER BY closed_at IS NULL DESC LIMIT 1";

/// Rows that do not fit in the response are not read. The `?` bytes are those before this one.
const ENDINGS: &str = concat!(
    "SELECT status, result, failure FROM (SELECT place, status, result, failure, ",
    ending_bytes!(),
    " AS bytes, ? + sum(",
    ending_bytes!(),
    ") OVER (ORDER BY place) AS upto FROM \
     (SELECT column1 AS place, column2 AS asked FROM ("
);

const OF_ASKED: &str = concat!(
    ") WHERE column1 IS NOT NULL) LEFT JOIN piton_runs ON run_id = asked) AS sized WHERE ",
    fits!("sized"),
    " ORDER BY place"
);

/// Uses the index of open runs, so that other runs are not read.
const COUNT_BY_DEFINITION: &str = "SELECT definition, state, status, count(*) AS runs \
    FROM piton_runs INDEXED BY piton_runs_open WHERE closed_at IS NULL AND workflow = ? \
    GROUP BY definition, state, status";

pub(super) async fn find(
    store: &SqliteStore,
    key: &RunKey,
) -> Result<Option<RunRecord>, StoreError> {
    let mut script = Script::new();
    script.sql(RECORD);
    match key {
        RunKey::RunId(run_id) => script.sql(BY_RUN_ID).bind(run_id.as_uuid()),
        RunKey::WorkflowId(id) => script.sql(BY_WORKFLOW_ID).bind(id.clone()),
    };
    let rows = store.read(script).await.and_then(|mut rows| rows.read::<RunRow>(0));
    rows.map_err(failed("find_run"))?.pop().map(TryInto::try_into).transpose()
}

pub(super) async fn find_snapshot(
    store: &SqliteStore,
    run_id: RunId,
) -> Result<Option<Vec<u8>>, StoreError> {
    let mut script = Script::new();
    script.sql("SELECT snapshot FROM piton_runs WHERE run_id = ?").bind(run_id.as_uuid());
    let rows = store.read(script).await.and_then(|mut rows| rows.read::<(Vec<u8>,)>(0));
    let snapshot = rows.map_err(failed("find_snapshot"))?.pop();
    Ok(snapshot.map(|(snapshot,)| snapshot))
}

pub(super) async fn find_endings(
    store: &SqliteStore,
    run_ids: &[RunId],
) -> Result<Vec<FoundEnding>, StoreError> {
    let failed = failed("find_endings");
    let (mut found, mut bytes) = (Vec::with_capacity(run_ids.len()), 0);
    for run_ids in run_ids.chunks(MAX_ROWS) {
        let mut script = Script::new();
        script.sql(ENDINGS).bind(i64::try_from(bytes).unwrap_or(i64::MAX));
        script.values(2, run_ids.iter().enumerate(), |script, (place, run_id)| {
            script.bind(i64::try_from(place).unwrap_or(i64::MAX)).bind(run_id.as_uuid());
        });
        script.sql(OF_ASKED);
        let rows = store.read(script).await.and_then(|mut rows| rows.read::<EndingRow>(0));
        let rows = rows.map_err(failed)?;
        let is_whole = rows.len() == run_ids.len();
        for row in rows {
            let ending = read_ending(row)?;
            bytes += ending.weight();
            found.push(ending);
        }
        if !is_whole {
            break;
        }
    }
    Ok(found)
}

pub(super) async fn count_by_definition(
    store: &SqliteStore,
    workflow: &str,
) -> Result<Vec<DefinitionCount>, StoreError> {
    let mut script = Script::new();
    script.sql(COUNT_BY_DEFINITION).bind(workflow.to_owned());
    let rows = store.read(script).await.and_then(|mut rows| rows.read::<DefinitionCountRow>(0));
    read_counts(rows.map_err(failed("count_by_definition"))?)
}
