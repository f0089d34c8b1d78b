//! Workflows as builds of the code defined them.

use async_trait::async_trait;

use super::server::takes_writes;
use super::{PostgresStore, failed, names_nothing};
use crate::error::StoreError;
use crate::model::DefinitionHash;
use crate::store::{DefinitionRecord, Definitions};

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
}

/// In key order, so that processes that start together do not deadlock.
const INSERT: &str = "INSERT INTO piton_definitions (workflow, hash, description) \
    SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[]) ORDER BY 1, 2 ON CONFLICT DO NOTHING";

const FIND: &str = concat!(
    "SELECT description FROM piton_definitions WHERE ",
    takes_writes!(),
    " AND workflow = $1 AND hash = $2"
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
