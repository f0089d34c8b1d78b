//! Recorded definitions of workflows and schemas of values.

use async_trait::async_trait;

use super::server::takes_writes;
use super::{PostgresStore, failed, names_nothing};
use crate::error::StoreError;
use crate::model::{DefinitionHash, SchemaHash};
use crate::store::rows::{DefinitionRow, SchemaRow, SummaryRow, read_summaries};
use crate::store::{DefinitionRecord, DefinitionSummary, Definitions, SchemaRecord};

#[async_trait]
impl Definitions for PostgresStore {
    async fn record_definitions(&self, definitions: &[DefinitionRecord]) -> Result<(), StoreError> {
        self.answered("record_definitions", record(self, definitions)).await
    }

    async fn find_definition(
        &self,
        workflow: &str,
        hash: DefinitionHash,
    ) -> Result<Option<DefinitionRecord>, StoreError> {
        self.asked("find_definition", find(self, workflow, hash)).await
    }

    async fn find_definitions(
        &self,
        hash: DefinitionHash,
    ) -> Result<Vec<DefinitionRecord>, StoreError> {
        self.asked("find_definitions", find_all(self, hash)).await
    }

    async fn list_definitions(
        &self,
        workflow: Option<&str>,
    ) -> Result<Vec<DefinitionSummary>, StoreError> {
        self.asked("list_definitions", list(self, workflow)).await
    }

    async fn record_schemas(&self, schemas: &[SchemaRecord]) -> Result<(), StoreError> {
        self.answered("record_schemas", record_schemas(self, schemas)).await
    }

    async fn find_schemas(&self, hashes: &[SchemaHash]) -> Result<Vec<SchemaRecord>, StoreError> {
        self.asked("find_schemas", find_schemas(self, hashes)).await
    }
}

/// In key order, so that processes that start together do not deadlock.
const INSERT: &str = "INSERT INTO piton_definitions (workflow, hash, description) \
    SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[]) ORDER BY 1, 2 ON CONFLICT DO NOTHING";

const FIND: &str = concat!(
    "SELECT description FROM piton_definitions WHERE ",
    takes_writes!(),
    " AND workflow = $1 AND hash = $2"
);

const FIND_ALL: &str = concat!(
    "SELECT workflow, hash, description FROM piton_definitions WHERE ",
    takes_writes!(),
    " AND hash = $1 ORDER BY workflow COLLATE \"C\""
);

/// Null means all workflows. The runs are counted once, however many definitions there are.
const LIST: &str = concat!(
    "SELECT known.workflow, hash, coalesce(runs, 0) AS open_runs FROM piton_definitions AS known \
     LEFT JOIN (SELECT workflow, definition, count(*) AS runs FROM piton_runs \
     WHERE closed_at IS NULL AND ($1::text IS NULL OR workflow = $1) GROUP BY workflow, definition) \
     AS open ON open.workflow = known.workflow AND open.definition = int8send(hash) WHERE ",
    takes_writes!(),
    " AND ($1::text IS NULL OR known.workflow = $1)"
);

/// In key order, like [`INSERT`].
const INSERT_SCHEMAS: &str = "INSERT INTO piton_schemas (hash, schema) \
    SELECT * FROM unnest($1::bigint[], $2::text[]) ORDER BY 1 ON CONFLICT DO NOTHING";

const FIND_SCHEMAS: &str = concat!(
    "SELECT hash, schema FROM piton_schemas WHERE ",
    takes_writes!(),
    " AND hash = ANY ($1)"
);

pub(super) async fn record(
    store: &PostgresStore,
    definitions: &[DefinitionRecord],
) -> Result<(), StoreError> {
    let hashes = definitions.iter().map(|definition| definition.hash.0.cast_signed());
    let mut lane = store.pool.lane().await.map_err(failed("record_definitions"))?;
    sqlx::query(INSERT)
        .bind(definitions.iter().map(|one| one.workflow.as_str()).collect::<Vec<_>>())
        .bind(hashes.collect::<Vec<_>>())
        .bind(definitions.iter().map(|one| one.description.as_str()).collect::<Vec<_>>())
        .execute(lane.get())
        .await
        .map_err(failed("record_definitions"))?;
    lane.done();
    Ok(())
}

pub(super) async fn find(
    store: &PostgresStore,
    workflow: &str,
    hash: DefinitionHash,
) -> Result<Option<DefinitionRecord>, StoreError> {
    if names_nothing(workflow) {
        return Ok(None);
    }
    let mut lane = store.pool.lane().await.map_err(failed("find_definition"))?;
    let description: Option<String> = sqlx::query_scalar(FIND)
        .bind(workflow)
        .bind(hash.0.cast_signed())
        .fetch_optional(lane.get())
        .await
        .map_err(failed("find_definition"))?;
    lane.done();
    Ok(description.map(|description| DefinitionRecord {
        workflow: workflow.to_owned(),
        hash,
        description,
    }))
}

pub(super) async fn find_all(
    store: &PostgresStore,
    hash: DefinitionHash,
) -> Result<Vec<DefinitionRecord>, StoreError> {
    let failed = failed("find_definitions");
    let mut lane = store.pool.lane().await.map_err(failed)?;
    let rows: Vec<DefinitionRow> = sqlx::query_as(FIND_ALL)
        .bind(hash.0.cast_signed())
        .fetch_all(lane.get())
        .await
        .map_err(failed)?;
    lane.done();
    Ok(rows.into_iter().map(Into::into).collect())
}

pub(super) async fn list(
    store: &PostgresStore,
    workflow: Option<&str>,
) -> Result<Vec<DefinitionSummary>, StoreError> {
    if workflow.is_some_and(names_nothing) {
        return Ok(Vec::new());
    }
    let failed = failed("list_definitions");
    let mut lane = store.pool.lane().await.map_err(failed)?;
    let rows: Vec<SummaryRow> =
        sqlx::query_as(LIST).bind(workflow).fetch_all(lane.get()).await.map_err(failed)?;
    lane.done();
    Ok(read_summaries(rows))
}

pub(super) async fn record_schemas(
    store: &PostgresStore,
    schemas: &[SchemaRecord],
) -> Result<(), StoreError> {
    let failed = failed("record_schemas");
    let mut lane = store.pool.lane().await.map_err(failed)?;
    sqlx::query(INSERT_SCHEMAS)
        .bind(schemas.iter().map(|one| one.hash.0.cast_signed()).collect::<Vec<_>>())
        .bind(schemas.iter().map(|one| one.schema.as_str()).collect::<Vec<_>>())
        .execute(lane.get())
        .await
        .map_err(failed)?;
    lane.done();
    Ok(())
}

pub(super) async fn find_schemas(
    store: &PostgresStore,
    hashes: &[SchemaHash],
) -> Result<Vec<SchemaRecord>, StoreError> {
    let failed = failed("find_schemas");
    let mut lane = store.pool.lane().await.map_err(failed)?;
    let rows: Vec<SchemaRow> = sqlx::query_as(FIND_SCHEMAS)
        .bind(hashes.iter().map(|hash| hash.0.cast_signed()).collect::<Vec<_>>())
        .fetch_all(lane.get())
        .await
        .map_err(failed)?;
    lane.done();
    Ok(rows.into_iter().map(Into::into).collect())
}
