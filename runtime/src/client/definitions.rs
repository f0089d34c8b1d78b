//! The recorded definitions of workflows.

use super::Client;
use crate::engine::backoff::patiently;
use crate::error::StoreError;
use crate::evolution::StoredDefinition;
use crate::model::DefinitionHash;
use crate::store::DefinitionSummary;

impl Client {
    /// The recorded definitions of a workflow, or of all, each with the number of open runs in a state that it
    /// describes.
    ///
    /// # Errors
    /// See [`Client::find`].
    pub async fn list_definitions(
        &self,
        workflow: Option<&str>,
    ) -> Result<Vec<DefinitionSummary>, StoreError> {
        patiently(|| self.store().list_definitions(workflow)).await
    }

    /// A recorded definition: the states, what each awaits and saves, and the transitions between them.
    ///
    /// # Errors
    /// See [`Client::find`]; [`StoreError::Corrupt`] if another version of piton has recorded the definition in a form
    /// that this one cannot read.
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
