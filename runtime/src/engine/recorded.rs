//! Records schemas and definitions in the database before the values that refer to them become visible.

use std::collections::HashSet;
use std::hash::Hash;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{PoisonError, RwLock};

use super::backoff::until_answered;
use super::session::Session;
use crate::codec::{self, schemas};
use crate::error::StoreError;
use crate::evolution::{self, StoredDefinition};
use crate::machine::WorkflowEntry;
use crate::model::{DefinitionHash, Payload, SchemaHash};
use crate::store::{DefinitionRecord, SchemaRecord, Store};

/// The schemas and definitions that this process has recorded in its database.
#[derive(Debug, Default)]
pub(crate) struct Recorded {
    schemas: RwLock<HashSet<SchemaHash>>,
    definitions: RwLock<HashSet<DefinitionHash>>,
    /// How many of the [schemas of kept values](schemas::kept_after) are recorded.
    kept: AtomicUsize,
}

impl Recorded {
    /// Records the schema of a payload that is about to be written, unless it is recorded.
    pub(crate) async fn schema_of(
        &self,
        store: &dyn Store,
        payload: &Payload,
    ) -> Result<(), StoreError> {
        match codec::schema_of(payload) {
            Some(hash) => self.schema(store, hash).await,
            None => Ok(()),
        }
    }

    /// Records a schema of this process, unless it is recorded.
    pub(crate) async fn schema(
        &self,
        store: &dyn Store,
        hash: SchemaHash,
    ) -> Result<(), StoreError> {
        match contains(&self.schemas, hash) {
            true => Ok(()),
            false => self.schemas(store, &[hash]).await,
        }
    }

    /// Records the schemas of values in saved states that no definition names. Call it between a step and its
    /// commit.
    pub(crate) async fn kept_schemas(&self, store: &dyn Store) -> Result<(), StoreError> {
        let known = self.kept.load(Ordering::Relaxed);
        let new = schemas::kept_after(known);
        if !new.is_empty() {
            self.schemas(store, &new).await?;
            self.kept.fetch_max(known + new.len(), Ordering::Relaxed);
        }
        Ok(())
    }

    /// Records schemas of this process.
    pub(crate) async fn schemas(
        &self,
        store: &dyn Store,
        hashes: &[SchemaHash],
    ) -> Result<(), StoreError> {
        let record =
            |hash: &SchemaHash| Some(SchemaRecord { hash: *hash, schema: schemas::text(*hash)? });
        let records: Vec<_> = hashes.iter().filter_map(record).collect();
        store.record_schemas(&records).await?;
        insert(&self.schemas, hashes);
        Ok(())
    }

    /// Records the definition of a workflow before a run of it starts, unless it is recorded.
    pub(crate) async fn definition_of(
        &self,
        store: &dyn Store,
        entry: &'static WorkflowEntry,
    ) -> Result<(), StoreError> {
        match contains(&self.definitions, entry.definition().hash()) {
            true => Ok(()),
            false => self.definitions(store, [entry]).await,
        }
    }

    /// Records the definitions of workflows, and of the workflows that they await.
    pub(crate) async fn definitions(
        &self,
        store: &dyn Store,
        entries: impl IntoIterator<Item = &'static WorkflowEntry>,
    ) -> Result<(), StoreError> {
        let entries = evolution::with_awaited(entries);
        let definitions: Vec<_> = entries.iter().map(|entry| evolution::own(entry)).collect();
        let records: Vec<_> = definitions.iter().map(|definition| record(definition)).collect();
        store.record_definitions(&records).await?;
        let hashes: Vec<_> = definitions.iter().map(|definition| definition.hash).collect();
        insert(&self.definitions, &hashes);
        Ok(())
    }
}

/// Records the schemas of a run's arguments and the definition of its first state.
pub(crate) async fn record_call(
    session: &Session,
    entry: &'static WorkflowEntry,
    arguments: &Payload,
) {
    let recorded = &session.host.recorded;
    until_recorded(|| recorded.definition_of(&*session.store, entry)).await;
    until_recorded(|| recorded.schema_of(&*session.store, arguments)).await;
}

/// Retries until it is recorded, however long that takes.
pub(super) async fn until_recorded<F: Future<Output = Result<(), StoreError>>>(
    record: impl Fn() -> F,
) {
    until_answered("the schemas of a run or a message could not be recorded yet", record).await;
}

fn record(definition: &StoredDefinition) -> DefinitionRecord {
    DefinitionRecord {
        workflow: definition.workflow.clone(),
        hash: definition.hash,
        // Enums, strings and numbers always have a JSON form.
        description: serde_json::to_string(definition).unwrap_or_default(),
    }
}

fn contains<T: Eq + Hash>(known: &RwLock<HashSet<T>>, hash: T) -> bool {
    // Sets are consistent after every operation, so a poisoned lock is usable.
    known.read().unwrap_or_else(PoisonError::into_inner).contains(&hash)
}

fn insert<T: Eq + Hash + Copy>(known: &RwLock<HashSet<T>>, hashes: &[T]) {
    known.write().unwrap_or_else(PoisonError::into_inner).extend(hashes);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::{Described, Schema};
    use crate::store::{Definitions as _, MemoryStore};

    #[derive(serde::Serialize, serde::Deserialize)]
    struct Kept {
        by_a_block: u8,
    }

    #[tokio::test]
    async fn what_a_step_keeps_is_recorded_once() {
        let store = MemoryStore::new();
        let hash = Schema::of::<Kept>().hash();
        let recorded = Recorded::default();
        recorded.kept_schemas(&*store).await.expect("a store in memory");
        assert!(store.find_schemas(&[hash]).await.expect("a store in memory").is_empty());

        codec::begin_payload(Described::of::<Kept>(), &mut Vec::new());
        codec::begin_payload(Described::of::<Kept>(), &mut Vec::new());
        recorded.kept_schemas(&*store).await.expect("a store in memory");
        assert_eq!(store.find_schemas(&[hash]).await.expect("a store in memory").len(), 1);
        assert_eq!(schemas::kept_after(0).iter().filter(|kept| **kept == hash).count(), 1);
    }
}
