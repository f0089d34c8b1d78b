//! Workflows as builds of the code defined them.

use async_trait::async_trait;

use super::script::{MAX_ROWS, Script};
use super::{SqliteStore, failed};
use crate::error::StoreError;
use crate::model::DefinitionHash;
use crate::store::{DefinitionRecord, Definitions};

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
}

const INSERT: &str = "INSERT INTO piton_definitions (workflow, hash, description) \
    SELECT column1, column2, column3 FROM (";

const FIND: &str = "SELECT description FROM piton_definitions WHERE workflow = ? AND hash = ?";

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
