//! The recorded definitions of workflows.

use super::Client;
use crate::engine::backoff::patiently;
use crate::engine::evolution::learn_definition;
use crate::error::StoreError;
use crate::evolution::{self, StoredDefinition};
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

    /// A definition of this program, or a recorded one that can be read.
    pub(super) async fn definition(
        &self,
        hash: DefinitionHash,
    ) -> Result<Option<&'static StoredDefinition>, StoreError> {
        if evolution::find(hash).is_none() {
            patiently(|| learn_definition(&**self.store(), hash)).await?;
        }
        Ok(evolution::find(hash))
    }
}
