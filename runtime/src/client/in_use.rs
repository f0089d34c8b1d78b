//! The definitions of a workflow that open runs depend on.

use std::collections::BTreeSet;

use crate::engine::backoff::patiently;
use crate::error::StoreError;
use crate::evolution::StoredDefinition;
use crate::machine::WorkflowEntry;
use crate::model::{DefinitionHash, RunStatus};
use crate::store::Store;

/// The number of open runs in one state of one definition.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DefinitionInUse {
    /// The stored name of the runs' workflow: the present one or a former one.
    pub workflow: String,
    /// The version of the workflow, if the database has the definition.
    pub version: Option<u32>,
    /// The hash that identifies the definition; `None` for runs without a step since this column exists.
    pub definition: Option<DefinitionHash>,
    /// Whether this program has the same definition.
    pub is_current: bool,
    /// The name of the state.
    pub state: String,
    /// An open status.
    pub status: RunStatus,
    /// The number of runs.
    pub runs: u64,
}

pub(super) async fn in_use(
    store: &dyn Store,
    workflow: &str,
) -> Result<Vec<DefinitionInUse>, StoreError> {
    let versions = || WorkflowEntry::all().filter(|entry| entry.name == workflow);
    let former = versions().flat_map(WorkflowEntry::names).filter(|name| **name != workflow);
    let mut names = vec![workflow];
    names.extend(former.collect::<BTreeSet<_>>());
    let current: BTreeSet<_> = versions().map(|entry| entry.definition().hash().0).collect();
    let mut all = Vec::new();
    for name in names {
        let mut last = None;
        for count in patiently(|| store.count_by_definition(name)).await? {
            // Ordered by definition.
            let version = match (count.definition, last) {
                (None, _) => None,
                (Some(hash), Some((known, version))) if hash == known => version,
                (Some(hash), _) => {
                    let records = patiently(|| store.find_definitions(hash)).await?;
                    let record = records.first();
                    let definition =
                        record.and_then(|record| StoredDefinition::read(&record.description).ok());
                    let version = definition.map(|definition| definition.version);
                    last = Some((hash, version));
                    version
                }
            };
            all.push(DefinitionInUse {
                workflow: name.to_owned(),
                version,
                definition: count.definition,
                is_current: count.definition.is_some_and(|hash| current.contains(&hash.0)),
                state: count.state,
                status: count.status,
                runs: count.runs,
            });
        }
    }
    Ok(all)
}
