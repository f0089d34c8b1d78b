//! Attributes of a filter that no run has.

use super::Client;
use crate::engine::backoff::patiently;
use crate::error::StoreError;
use crate::filter::{Filter, near};

/// The maximum number of names to compare with. A database with more may have any name.
const MAX_NAMES: u32 = 10_000;

/// An attribute of a filter that no run has, see [`Client::unknown_attributes`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnknownAttribute {
    /// Its name.
    pub name: String,
    /// The most similar name of an attribute that runs have, if the two differ by a typing error.
    pub near: Option<String>,
}

impl Client {
    /// The attributes of a filter that no run of the namespace has, ordered by name: their names may be misspelt. Such a
    /// filter is valid, since runs with the attribute may come. Reads nothing if the filter has no attributes.
    ///
    /// ```
    /// # use piton::client::Client;
    /// # use piton::store::MemoryStore;
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let client = Client::new(MemoryStore::new());
    /// let filter = "custmer = 'c-17'".parse()?;
    /// let unknown = client.unknown_attributes(&filter).await?;
    /// assert_eq!(unknown[0].name, "custmer");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # }).unwrap();
    /// ```
    ///
    /// # Errors
    /// See [`Client::find`].
    pub async fn unknown_attributes(
        &self,
        filter: &Filter,
    ) -> Result<Vec<UnknownAttribute>, StoreError> {
        let asked = filter.attributes();
        if asked.is_empty() {
            return Ok(Vec::new());
        }
        let names = patiently(|| self.store().list_attribute_names(MAX_NAMES)).await?;
        if names.len() == MAX_NAMES as usize {
            return Ok(Vec::new());
        }
        let is_unknown = |name: &&str| names.iter().all(|known| known != name);
        let unknown = asked.into_iter().filter(is_unknown).map(|name| UnknownAttribute {
            name: name.to_owned(),
            near: near(name, names.iter().map(String::as_str)).map(str::to_owned),
        });
        Ok(unknown.collect())
    }
}
