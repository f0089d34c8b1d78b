//! The recorded definitions of workflows.

use super::Client;
use crate::engine::backoff::patiently;
use crate::error::StoreError;
use crate::evolution::StoredDefinition;
use crate::model::DefinitionHash;
use crate::store::DefinitionSummary;

impl Client {
    /// The definitions of a workflow, or of all, which workers and clients have recorded, each with how many
    /// open runs are in a state that it wrote.
    ///
    /// # Errors
    /// See [`Client::find`].
    pub async fn list_definitions(
        &self,
        workflow: Option<&str>,
    ) -> Result<Vec<DefinitionSummary>, StoreError> {
        patiently(|| self.store().list_definitions(workflow)).await
    }

    /// A recorded definition: the states, what each awaits and keeps, and the ways between them.
    ///
    /// # Errors
    /// See [`Client::find`]; [`StoreError::Corrupt`] if another version of piton has written it in a way that
    /// this one cannot read.
    pub async fn find_definition(
        &self,
        hash: DefinitionHash,
    ) -> Result<Option<StoredDefinition>, StoreError> {
        let records = patiently(|| self.store().find_definitions(hash)).await?;
        let definition = records.first().map(|record| StoredDefinition::read(&record.description));
        definition
            .transpose()
            .map_err(|error| StoreError::Corrupt { what: "definition", reason: error.to_string() })
    }
}
