//! A workflow that no run and no definition is of.

use std::collections::BTreeSet;

use super::Client;
use crate::error::StoreError;
use crate::filter::{self, near};

/// A workflow that no run and no definition is of, see [`Client::unknown_workflow`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnknownWorkflow {
    /// Its name.
    pub name: String,
    /// The most similar name of a recorded workflow, if the two differ by a typing error.
    pub near: Option<String>,
}

impl Client {
    /// Whether the namespace has neither a run nor a definition of this workflow: its name may be misspelt.
    ///
    /// ```
    /// # use piton::client::Client;
    /// # use piton::store::MemoryStore;
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let client = Client::new(MemoryStore::new());
    /// let unknown = client.unknown_workflow("fulfil").await?;
    /// assert_eq!(unknown.unwrap().name, "fulfil");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # }).unwrap();
    /// ```
    ///
    /// # Errors
    /// See [`Client::find`].
    pub async fn unknown_workflow(
        &self,
        workflow: &str,
    ) -> Result<Option<UnknownWorkflow>, StoreError> {
        let definitions = self.list_definitions(None).await?;
        let known: BTreeSet<_> = definitions.iter().map(|known| &*known.workflow).collect();
        let is_known =
            known.contains(workflow) || self.count(filter::workflow().equals(workflow)).await? > 0;
        Ok((!is_known).then(|| UnknownWorkflow {
            name: workflow.to_owned(),
            near: near(workflow, known).map(str::to_owned),
        }))
    }
}
