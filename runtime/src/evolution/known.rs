//! The definitions that this process knows: those of its own build, and those that it has read from the database.

use std::any::TypeId;
use std::collections::{HashMap, HashSet};
use std::hash::Hash;
use std::sync::{LazyLock, PoisonError, RwLock};

use super::StoredDefinition;
use crate::codec::CodecError;
use crate::machine::WorkflowEntry;
use crate::model::DefinitionHash;

type Known<K> = LazyLock<RwLock<HashMap<K, &'static StoredDefinition>>>;

static OWN: Known<(TypeId, DefinitionHash)> = LazyLock::new(RwLock::default);
static OTHERS: Known<DefinitionHash> = LazyLock::new(RwLock::default);

fn get<K: Eq + Hash>(known: &Known<K>, key: &K) -> Option<&'static StoredDefinition> {
    // Every operation leaves the map consistent, so a poisoned lock is harmless.
    known.read().unwrap_or_else(PoisonError::into_inner).get(key).copied()
}

/// Keeps a definition until the process ends.
fn keep<K: Eq + Hash>(
    known: &Known<K>,
    key: K,
    definition: StoredDefinition,
) -> &'static StoredDefinition {
    let mut known = known.write().unwrap_or_else(PoisonError::into_inner);
    known.entry(key).or_insert_with(|| Box::leak(Box::new(definition)))
}

/// The definition that this build has of a workflow.
pub(crate) fn own(entry: &WorkflowEntry) -> &'static StoredDefinition {
    let key = (entry.type_id, entry.definition().hash());
    get(&OWN, &key).unwrap_or_else(|| keep(&OWN, key, StoredDefinition::of(entry)))
}

/// The definition with this hash, if this process has learned it.
pub(crate) fn find(hash: DefinitionHash) -> Option<&'static StoredDefinition> {
    get(&OTHERS, &hash)
}

/// Adds a definition that was read from its row in the database.
///
/// # Errors
/// [`CodecError::Decode`] if the description is not one of a definition.
pub(crate) fn learn(hash: DefinitionHash, description: &str) -> Result<(), CodecError> {
    keep(&OTHERS, hash, StoredDefinition::read(description)?);
    Ok(())
}

/// These workflows, and the workflows that they await.
pub(crate) fn with_awaited(
    entries: impl IntoIterator<Item = &'static WorkflowEntry>,
) -> Vec<&'static WorkflowEntry> {
    let (mut seen, mut all) = (HashSet::new(), Vec::new());
    let mut todo: Vec<_> = entries.into_iter().collect();
    while let Some(entry) = todo.pop() {
        if !seen.insert(entry.type_id) {
            continue;
        }
        all.push(entry);
        let states = entry.definition().states.iter();
        for awaited in states.flat_map(|state| &state.awaited) {
            todo.extend(awaited.workflow());
        }
    }
    all
}
