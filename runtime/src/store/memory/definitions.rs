//! What builds of the code have said of their workflows.

use async_trait::async_trait;

use crate::error::StoreError;
use crate::model::DefinitionHash;
use crate::store::memory::MemoryStore;
use crate::store::{DefinitionRecord, Definitions};

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
}
