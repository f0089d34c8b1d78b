//! Recorded definitions of workflows and schemas of values.

use std::collections::HashSet;

use async_trait::async_trait;

use super::script::{MAX_ROWS, Script};
use super::{SqliteStore, failed};
use crate::error::StoreError;
use crate::model::{DefinitionHash, SchemaHash};
use crate::store::rows::{DefinitionRow, SchemaRow, SummaryRow, read_summaries};
use crate::store::{DefinitionRecord, DefinitionSummary, Definitions, SchemaRecord};

#[async_trait]
impl Definitions for SqliteStore {
    async fn record_definitions(&self, definitions: &[DefinitionRecord]) -> Result<(), StoreError> {
        record(self, definitions).await
    }

    async fn find_definition(
        &self,
        workflow: &str,
        hash: DefinitionHash,
    ) -> Result<Option<DefinitionRecord>, StoreError> {
        find(self, workflow, hash).await
    }

    async fn find_definitions(
        &self,
        hash: DefinitionHash,
    ) -> Result<Vec<DefinitionRecord>, StoreError> {
        find_all(self, hash).await
    }

    async fn list_definitions(
        &self,
        workflow: Option<&str>,
    ) -> Result<Vec<DefinitionSummary>, StoreError> {
        list(self, workflow).await
    }

    async fn record_schemas(&self, schemas: &[SchemaRecord]) -> Result<(), StoreError> {
        record_schemas(self, schemas).await
    }

    async fn find_schemas(&self, hashes: &[SchemaHash]) -> Result<Vec<SchemaRecord>, StoreError> {
        find_schemas(self, hashes).await
    }
}

const INSERT: &str = "INSERT INTO piton_definitions (workflow, hash, description) \
    SELECT column1, column2, column3 FROM (";

const FIND: &str = "SELECT description FROM piton_definitions WHERE workflow = ? AND hash = ?";

const FIND_ALL: &str = "SELECT workflow, hash, description FROM piton_definitions \
    WHERE hash = ? ORDER BY workflow";

/// Null means all workflows. The runs are counted once, however many definitions there are.
const LIST: &str = "SELECT known.workflow, hash, coalesce(runs, 0) AS open_runs \
    FROM piton_definitions AS known LEFT JOIN (SELECT workflow, definition, count(*) AS runs \
    FROM piton_runs INDEXED BY piton_runs_open WHERE closed_at IS NULL GROUP BY workflow, definition) \
    AS open ON open.workflow = known.workflow AND open.definition = hash \
    WHERE ?1 IS NULL OR known.workflow = ?1";

const INSERT_SCHEMAS: &str = "INSERT INTO piton_schemas (hash, schema) \
    SELECT column1, column2 FROM (";

const FIND_SCHEMAS: &str = "SELECT hash, schema FROM piton_schemas WHERE hash IN (";

pub(super) async fn record(
    store: &SqliteStore,
    definitions: &[DefinitionRecord],
) -> Result<(), StoreError> {
    for definitions in definitions.chunks(MAX_ROWS) {
        let mut script = Script::new();
        script.sql(INSERT).values(3, definitions.iter(), |script, definition| {
            script
                .bind(definition.workflow.clone())
                .bind(definition.hash.0.cast_signed())
                .bind(definition.description.clone());
        });
        script.sql(") WHERE column1 IS NOT NULL ON CONFLICT DO NOTHING");
        store.turn().await.run(script).await.map_err(failed("record_definitions"))?;
    }
    Ok(())
}

pub(super) async fn find(
    store: &SqliteStore,
    workflow: &str,
    hash: DefinitionHash,
) -> Result<Option<DefinitionRecord>, StoreError> {
    let mut script = Script::new();
    script.sql(FIND).bind(workflow.to_owned()).bind(hash.0.cast_signed());
    let rows = store.read(script).await.and_then(|mut rows| rows.read::<(String,)>(0));
    let found = rows.map_err(failed("find_definition"))?.pop();
    Ok(found.map(|(description,)| DefinitionRecord {
        workflow: workflow.to_owned(),
        hash,
        description,
    }))
}

pub(super) async fn find_all(
    store: &SqliteStore,
    hash: DefinitionHash,
) -> Result<Vec<DefinitionRecord>, StoreError> {
    let mut script = Script::new();
    script.sql(FIND_ALL).bind(hash.0.cast_signed());
    let rows = store.read(script).await.and_then(|mut rows| rows.read::<DefinitionRow>(0));
    let rows = rows.map_err(failed("find_definitions"))?;
    Ok(rows.into_iter().map(Into::into).collect())
}

pub(super) async fn list(
    store: &SqliteStore,
    workflow: Option<&str>,
) -> Result<Vec<DefinitionSummary>, StoreError> {
    let mut script = Script::new();
    script.sql(LIST).bind(workflow.map(str::to_owned));
    let rows = store.read(script).await.and_then(|mut rows| rows.read::<SummaryRow>(0));
    Ok(read_summaries(rows.map_err(failed("list_definitions"))?))
}

pub(super) async fn record_schemas(
    store: &SqliteStore,
    schemas: &[SchemaRecord],
) -> Result<(), StoreError> {
    for schemas in schemas.chunks(MAX_ROWS) {
        let mut script = Script::new();
        script.sql(INSERT_SCHEMAS).values(2, schemas.iter(), |script, one| {
            script.bind(one.hash.0.cast_signed()).bind(one.schema.clone());
        });
        script.sql(") WHERE column1 IS NOT NULL ON CONFLICT DO NOTHING");
        store.turn().await.run(script).await.map_err(failed("record_schemas"))?;
    }
    Ok(())
}

pub(super) async fn find_schemas(
    store: &SqliteStore,
    hashes: &[SchemaHash],
) -> Result<Vec<SchemaRecord>, StoreError> {
    let hashes: HashSet<SchemaHash> = hashes.iter().copied().collect();
    let hashes: Vec<SchemaHash> = hashes.into_iter().collect();
    let mut found = Vec::with_capacity(hashes.len());
    for hashes in hashes.chunks(MAX_ROWS) {
        let mut script = Script::new();
        script.sql(FIND_SCHEMAS).values(1, hashes.iter(), |script, hash| {
            script.bind(hash.0.cast_signed());
        });
        script.sql(")");
        let rows = store.read(script).await.and_then(|mut rows| rows.read::<SchemaRow>(0));
        let rows = rows.map_err(failed("find_schemas"))?;
        found.extend(rows.into_iter().map(SchemaRecord::from));
    }
    Ok(found)
}
