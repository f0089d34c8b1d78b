//! Compares the released definitions with the current workflows.

use std::collections::{BTreeMap, HashSet};

use super::report::{Message, Report};
use super::{Lock, LockError};
use crate::evolution::{self, Concern, StoredDefinition};
use crate::machine::WorkflowEntry;

/// Compares the text of a lock file with these workflows and those that they await; for the whole program, pass
/// [`WorkflowEntry::all`].
///
/// # Errors
/// [`LockError`] if the text is not a lock file.
pub fn check(
    lock: &str,
    workflows: impl IntoIterator<Item = &'static WorkflowEntry>,
) -> Result<Report, LockError> {
    Ok(compare(&Lock::parse(lock)?, workflows))
}

pub(super) fn compare(
    lock: &Lock,
    workflows: impl IntoIterator<Item = &'static WorkflowEntry>,
) -> Report {
    let entries = evolution::with_awaited(workflows);
    let mut report = Report::default();
    // The newest of several that say the same.
    let mut said: BTreeMap<(String, String), (Concern, &StoredDefinition, usize)> = BTreeMap::new();
    let mut is_gone: BTreeMap<(&str, u32), &StoredDefinition> = BTreeMap::new();
    let mut todo: Vec<(&StoredDefinition, &'static WorkflowEntry)> = Vec::new();
    for definition in lock.definitions.iter().rev() {
        let found: Vec<_> =
            entries.iter().copied().filter(|entry| is_of(definition, entry)).collect();
        if found.is_empty() {
            is_gone.entry((&definition.workflow, definition.version)).or_insert(definition);
        }
        // Runs in one of several instances of a generic workflow go on in the same, or in another one that is awaited in
        // its place.
        let instance = definition.instance.as_deref();
        let is_it = |entry: &&WorkflowEntry| found.len() == 1 || entry.instance() == instance;
        todo.extend(found.iter().copied().filter(is_it).map(|entry| (definition, entry)));
    }
    let mut seen = HashSet::new();
    while let Some((definition, entry)) = todo.pop() {
        if !seen.insert((definition.hash, entry.type_id)) {
            continue;
        }
        let (concerns, awaited) = evolution::check_with_awaited(definition, entry);
        for (before, now) in awaited {
            let is_it = |definition: &&StoredDefinition| {
                is_of(definition, now) && definition.is_instance_of(before)
            };
            todo.extend(lock.definitions.iter().filter(is_it).map(|definition| (definition, now)));
        }
        for concern in concerns {
            let key = (
                format!("{} {}", concern.finding.workflow, concern.finding.state),
                concern.finding.difference.to_string(),
            );
            let others = said.remove(&key).map_or(0, |(.., others)| others + 1);
            said.insert(key, (concern, definition, others));
        }
    }
    let gone = is_gone.into_values().map(|definition| Message::of_gone(definition, &entries));
    report.messages.extend(gone);
    let concerns = said.into_values();
    let messages =
        concerns.map(|(concern, definition, others)| Message::of(&concern, definition, others));
    report.messages.extend(messages);
    report.messages.sort_by_key(|message| message.level);
    let own = entries.iter().map(|entry| evolution::own(entry));
    let unrecorded = own.filter(|own| !lock.has(own));
    report.unrecorded = unrecorded.map(|own| name_of(&own.workflow, own.version)).collect();
    report.unrecorded.sort_unstable();
    report
}

/// Whether the definition is one of this workflow.
fn is_of(definition: &StoredDefinition, entry: &WorkflowEntry) -> bool {
    entry.version == definition.version && entry.names().contains(&&*definition.workflow)
}

/// A workflow, with its version if it is not the first.
pub(super) fn name_of(workflow: &str, version: u32) -> String {
    match version {
        1 => format!("`{workflow}`"),
        version => format!("`{workflow}` (version {version})"),
    }
}
