//! The recorded definitions of workflows and schemas of values.

use async_trait::async_trait;

use crate::error::StoreError;
use crate::model::{DefinitionHash, SchemaHash};

/// Definitions of workflows, by workflow and hash, and schemas of stored values, by hash.
///
/// The rules common to all methods are documented at [`Store`](super::Store).
#[async_trait]
pub trait Definitions: Send + Sync {
    /// Stores definitions that are not stored yet, by workflow and hash. Existing ones do not change.
    async fn record_definitions(&self, definitions: &[DefinitionRecord]) -> Result<(), StoreError>;

    /// The definition with this hash. Locks nothing.
    async fn find_definition(
        &self,
        workflow: &str,
        hash: DefinitionHash,
    ) -> Result<Option<DefinitionRecord>, StoreError>;

    /// The definitions with this hash, of any workflow, ordered by the workflow's name. Locks nothing.
    async fn find_definitions(
        &self,
        hash: DefinitionHash,
    ) -> Result<Vec<DefinitionRecord>, StoreError>;

    /// The definitions of one workflow or of all, by workflow and hash. Each comes with the number of open runs
    /// whose state it describes. Reads no snapshots. Locks nothing.
    async fn list_definitions(
        &self,
        workflow: Option<&str>,
    ) -> Result<Vec<DefinitionSummary>, StoreError>;

    /// Stores schemas that are not stored yet, by hash. Existing ones do not change.
    async fn record_schemas(&self, schemas: &[SchemaRecord]) -> Result<(), StoreError>;

    /// The stored schemas among these hashes, each once, in no particular order. Locks nothing.
    async fn find_schemas(&self, hashes: &[SchemaHash]) -> Result<Vec<SchemaRecord>, StoreError>;
}

/// A workflow's definition in one build of the code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DefinitionRecord {
    /// The workflow's stored name.
    pub workflow: String,
    /// The hash that identifies the definition.
    pub hash: DefinitionHash,
    /// States, edges and the schema of every saved local, as JSON.
    pub description: String,
}

/// A definition, and the number of runs that depend on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DefinitionSummary {
    /// The workflow's stored name.
    pub workflow: String,
    /// The hash that identifies the definition.
    pub hash: DefinitionHash,
    /// How many open runs are in a state that it describes.
    pub open_runs: u64,
}

/// How one build of the code stores the values of a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaRecord {
    /// What identifies the schema: a hash of its content.
    pub hash: SchemaHash,
    /// The schema, as JSON.
    pub schema: String,
}
