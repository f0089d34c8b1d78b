//! The recorded definitions of workflows and schemas of values.

use async_trait::async_trait;

use crate::error::StoreError;
use crate::model::{DefinitionHash, SchemaHash};

/// Definitions of workflows, by workflow and hash, and schemas of stored values, by hash.
///
/// What holds for all methods is said at [`Store`](super::Store).
#[async_trait]
pub trait Definitions: Send + Sync {
    /// Keeps definitions that are not kept yet, by workflow and hash; one that is kept stays as it is.
    async fn record_definitions(&self, definitions: &[DefinitionRecord]) -> Result<(), StoreError>;

    /// The definition with this hash. Locks nothing.
    async fn find_definition(
        &self,
        workflow: &str,
        hash: DefinitionHash,
    ) -> Result<Option<DefinitionRecord>, StoreError>;

    /// The definitions with this hash, of whatever workflow, in the order of the workflows' names. Locks
    /// nothing.
    async fn find_definitions(
        &self,
        hash: DefinitionHash,
    ) -> Result<Vec<DefinitionRecord>, StoreError>;

    /// The definitions of a workflow, or of all, by workflow and hash, each with how many open runs are in
    /// a state that it wrote. Reads no snapshots. Locks nothing.
    async fn list_definitions(
        &self,
        workflow: Option<&str>,
    ) -> Result<Vec<DefinitionSummary>, StoreError>;

    /// Keeps schemas that are not kept yet, by hash; one that is kept stays as it is.
    async fn record_schemas(&self, schemas: &[SchemaRecord]) -> Result<(), StoreError>;

    /// Those of the schemas with these hashes that are kept, each once, in no particular order. Locks
    /// nothing.
    async fn find_schemas(&self, hashes: &[SchemaHash]) -> Result<Vec<SchemaRecord>, StoreError>;
}

/// A workflow as some build of the code defined it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DefinitionRecord {
    /// The workflow's stored name.
    pub workflow: String,
    /// What identifies the definition.
    pub hash: DefinitionHash,
    /// States, edges and the schema of every saved local, as JSON.
    pub description: String,
}

/// A definition, and how many runs depend on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DefinitionSummary {
    /// The workflow's stored name.
    pub workflow: String,
    /// What identifies the definition.
    pub hash: DefinitionHash,
    /// How many open runs are in a state that it wrote.
    pub open_runs: u64,
}

/// How values of a type are stored, as some build of the code traced it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaRecord {
    /// What identifies the schema: a hash of its content.
    pub hash: SchemaHash,
    /// The schema, as JSON.
    pub schema: String,
}
