//! Recorded definitions of workflows and schemas of values.

use async_trait::async_trait;

use crate::error::StoreError;
use crate::model::{DefinitionHash, SchemaHash};
use crate::store::memory::MemoryStore;
use crate::store::{DefinitionRecord, DefinitionSummary, Definitions, SchemaRecord};

#[async_trait]
impl Definitions for MemoryStore {
    async fn record_definitions(&self, definitions: &[DefinitionRecord]) -> Result<(), StoreError> {
        self.transition("record_definitions", |state, _, _| {
            for definition in definitions {
                let key = (definition.workflow.clone(), definition.hash.0);
                state.definitions.entry(key).or_insert_with(|| definition.clone());
            }
            Ok(())
        })
        .await
    }

    async fn find_definition(
        &self,
        workflow: &str,
        hash: DefinitionHash,
    ) -> Result<Option<DefinitionRecord>, StoreError> {
        self.transition("find_definition", |state, _, _| {
            Ok(state.definitions.get(&(workflow.to_owned(), hash.0)).cloned())
        })
        .await
    }

    async fn find_definitions(
        &self,
        hash: DefinitionHash,
    ) -> Result<Vec<DefinitionRecord>, StoreError> {
        self.transition("find_definitions", |state, _, _| {
            let known = state.definitions.values();
            Ok(known.filter(|definition| definition.hash == hash).cloned().collect())
        })
        .await
    }

    async fn list_definitions(
        &self,
        workflow: Option<&str>,
    ) -> Result<Vec<DefinitionSummary>, StoreError> {
        self.transition("list_definitions", |state, _, _| {
            let known = state.definitions.values();
            let known = known.filter(|known| workflow.is_none_or(|name| known.workflow == name));
            let summary = |known: &DefinitionRecord| {
                let runs = state.runs.values().filter(|row| row.status.is_open());
                let runs = runs.filter(|row| {
                    row.definition == Some(known.hash) && row.workflow == known.workflow
                });
                let (workflow, open_runs) = (known.workflow.clone(), runs.count() as u64);
                DefinitionSummary { workflow, hash: known.hash, open_runs }
            };
            Ok(known.map(summary).collect())
        })
        .await
    }

    async fn record_schemas(&self, schemas: &[SchemaRecord]) -> Result<(), StoreError> {
        self.transition("record_schemas", |state, _, _| {
            for schema in schemas {
                state.schemas.entry(schema.hash.0).or_insert_with(|| schema.clone());
            }
            Ok(())
        })
        .await
    }

    async fn find_schemas(&self, hashes: &[SchemaHash]) -> Result<Vec<SchemaRecord>, StoreError> {
        self.transition("find_schemas", |state, _, _| {
            let kept = state.schemas.values();
            Ok(kept.filter(|schema| hashes.contains(&schema.hash)).cloned().collect())
        })
        .await
    }
}
