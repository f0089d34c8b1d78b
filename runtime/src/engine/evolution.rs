//! Lets states and values of other builds into this one: what this process must learn for it comes from the database.

use tracing::warn;

use super::panics::catch;
use crate::codec::{self, schemas};
use crate::error::{StoreError, with_causes};
use crate::evolution::{self, Unfit};
use crate::machine::WorkflowEntry;
use crate::model::{BlockedReason, DefinitionHash, Payload, SchemaHash, Snapshot};
use crate::store::Store;

/// Lets a saved state go on in this build: in that one of these versions of a workflow, the newest first, that it is of.
///
/// # Errors
/// [`StoreError`] if the database fails. The other error is why the state cannot go on.
pub(crate) async fn evolve(
    store: &dyn Store,
    versions: &[&'static WorkflowEntry],
    snapshot: &mut Snapshot,
) -> Result<Result<&'static WorkflowEntry, BlockedReason>, StoreError> {
    loop {
        let evolved = catch(|| {
            let entry = evolution::version_of(&snapshot.frame, versions)?;
            evolution::evolve_snapshot(snapshot, entry).map(|()| entry)
        });
        let unfit = match evolved {
            Ok(Ok(entry)) => return Ok(Ok(entry)),
            Ok(Err(unfit)) => unfit,
            Err(message) => return Ok(Err(BlockedReason::Panicked(message))),
        };
        let unknown = match unfit {
            Unfit::UnknownDefinition(hash) => match learn_definition(store, hash).await? {
                true => continue,
                false => format!("the definition {hash} that wrote it"),
            },
            Unfit::UnknownSchema(hash) => match learn_schemas(store, vec![hash]).await? {
                true => continue,
                false => format!("the schema {hash} of a value in it"),
            },
            Unfit::Finding(finding) => return Ok(Err(BlockedReason::Evolution(finding))),
            Unfit::Damaged(error) => {
                return Ok(Err(BlockedReason::Undecodable(error.to_string())));
            }
        };
        let reason = format!("{unknown} is not in the database");
        return Ok(Err(BlockedReason::Undecodable(reason)));
    }
}

/// Learns the schemas of payloads that are about to be read. One that the database does not have is left out: whoever
/// reads the payload is told.
pub(crate) async fn learn_schemas_of<'a>(
    store: &dyn Store,
    payloads: impl Iterator<Item = &'a Payload>,
) -> Result<(), StoreError> {
    let hashes = payloads.filter_map(codec::schema_of);
    let unknown: Vec<_> = hashes.filter(|hash| codec::is_unknown(*hash)).collect();
    if !unknown.is_empty() {
        learn_schemas(store, unknown).await?;
    }
    Ok(())
}

/// Learns schemas. Whether all of them are known now.
pub(crate) async fn learn_schemas(
    store: &dyn Store,
    hashes: Vec<SchemaHash>,
) -> Result<bool, StoreError> {
    for record in store.find_schemas(&hashes).await? {
        if let Err(error) = schemas::learn(record.hash, &record.schema) {
            warn!(schema = %record.hash, error = %with_causes(&error), "a schema cannot be read");
        }
    }
    Ok(!hashes.into_iter().any(codec::is_unknown))
}

/// Learns a definition. Whether it is known now.
pub(crate) async fn learn_definition(
    store: &dyn Store,
    hash: DefinitionHash,
) -> Result<bool, StoreError> {
    let Some(record) = store.find_definitions(hash).await?.into_iter().next() else {
        return Ok(false);
    };
    match evolution::learn(hash, &record.description) {
        Ok(()) => Ok(true),
        Err(error) => {
            warn!(definition = %hash, error = %with_causes(&error), "a definition cannot be read");
            Ok(false)
        }
    }
}
