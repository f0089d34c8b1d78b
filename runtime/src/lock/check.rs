//! Compares the released definitions with the current workflows.

use std::collections::BTreeMap;

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
    for definition in &lock.definitions {
        let is_it = |entry: &&&WorkflowEntry| {
            entry.version == definition.version && entry.names().contains(&&*definition.workflow)
        };
        let Some(entry) = entries.iter().find(is_it) else {
            is_gone.insert((&definition.workflow, definition.version), definition);
            continue;
        };
        for concern in evolution::check(definition, entry) {
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

/// A workflow, with its version if it is not the first.
pub(super) fn name_of(workflow: &str, version: u32) -> String {
    match version {
        1 => format!("`{workflow}`"),
        version => format!("`{workflow}` (version {version})"),
    }
}
