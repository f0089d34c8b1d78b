//! What builds of the code have said of their workflows.

use async_trait::async_trait;

use crate::error::StoreError;
use crate::model::DefinitionHash;

/// Definitions of workflows, by workflow and hash.
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
        hash: crate::model::DefinitionHash,
    ) -> Result<Option<DefinitionRecord>, StoreError>;
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
