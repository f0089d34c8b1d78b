//! `piton.lock`: the released definitions of every workflow, with which a test finds edits that would block parked
//! runs before they are deployed.
//!
//! The file is beside `Cargo.toml` and is committed with the code. It has one entry for each released definition of
//! a workflow: the states, what they await, the locals that they save, and the schemas of all values. The test
//! compares the present workflows with all entries, state by state, by the rules that also apply when a run is
//! loaded.
//!
//! ```no_run
//! // tests/lock.rs
//! use my_app as _;
//! # mod my_app {}
//!
//! piton::lock::test!();
//! # fn main() {}
//! ```
//!
//! `PITON_LOCK=accept cargo test piton_lock` adds missing definitions to the file: do this for a release, and
//! commit the file. `PITON_LOCK=locked cargo test piton_lock` fails if definitions are missing; use it in the
//! release job. [`Lock::retire`] removes definitions that no run depends on.

mod check;
mod file;
mod report;
mod test;

use std::fmt;

pub use check::check;
pub use report::{Level, Message, Report};
#[doc(hidden)]
pub use test::{Mode, run, run_as};

/// Defines a test named `piton_lock` that compares the workflows of the program with `piton.lock` beside the crate's
/// `Cargo.toml`. See [the module](self).
///
/// Put it into an integration test (`tests/lock.rs`), which contains the workflows of the library and not those of
/// its unit tests. The linker leaves out a library that is not named, so write `use my_app as _;` with its name.
#[macro_export]
#[doc(hidden)]
macro_rules! __lock_test {
    () => {
        #[test]
        fn piton_lock() -> ::std::process::ExitCode {
            $crate::lock::run(::core::env!("CARGO_MANIFEST_DIR"))
        }
    };
}
#[doc(inline)]
pub use crate::__lock_test as test;

use crate::client::DefinitionInUse;
use crate::evolution::{self, StoredDefinition};
use crate::machine::WorkflowEntry;
use crate::model::DefinitionHash;

/// The released definitions of workflows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lock {
    /// By workflow and version; those of one version in the order of their release.
    definitions: Vec<StoredDefinition>,
}

/// Why a text is not a lock file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`piton.lock` cannot be read: {reason}")]
pub struct LockError {
    reason: String,
}

impl Lock {
    /// Parses the text of a lock file.
    ///
    /// # Errors
    /// [`LockError`] if the text is not valid, for example after a merge that left conflict markers.
    pub fn parse(text: &str) -> Result<Self, LockError> {
        file::read(text).map_err(|reason| LockError { reason })
    }

    /// The definitions.
    pub fn definitions(&self) -> &[StoredDefinition] {
        &self.definitions
    }

    /// Adds the missing definitions of these workflows and of those that they await. Returns the number added.
    pub fn record(&mut self, workflows: impl IntoIterator<Item = &'static WorkflowEntry>) -> usize {
        let before = self.definitions.len();
        for entry in evolution::with_awaited(workflows) {
            let own = evolution::own(entry);
            if !self.has(own) {
                self.definitions.push(own.clone());
            }
        }
        // Of one version, those that were there before stay before those that are new.
        let key = |definition: &StoredDefinition| (definition.workflow.clone(), definition.version);
        self.definitions.sort_by_key(key);
        self.definitions.len() - before
    }

    /// Removes the definitions that no open run depends on and that are not the present ones of these workflows.
    /// Returns them.
    ///
    /// `in_use` is the result of [`Client::definitions_in_use`](crate::client::Client::definitions_in_use) for
    /// *every* workflow of the lock file, from every database with runs. The definitions of a workflow that others
    /// await inline stay as long as runs of those others exist.
    pub fn retire(
        &mut self,
        workflows: impl IntoIterator<Item = &'static WorkflowEntry>,
        in_use: &[DefinitionInUse],
    ) -> Vec<StoredDefinition> {
        let current = evolution::with_awaited(workflows);
        let current: Vec<_> = current.into_iter().map(evolution::own).collect();
        let is_current =
            |definition: &StoredDefinition| current.iter().any(|own| is_same(own, definition));
        let is_used = |name: &str, hash: DefinitionHash| {
            let named = in_use.iter().filter(|used| used.workflow == name && used.runs > 0);
            // Of some runs it is not known which definition they depend on.
            named.into_iter().any(|used| used.definition.is_none_or(|used| used == hash))
        };
        // Workflows that run inside of open runs.
        let mut inner: Vec<String> = Vec::new();
        let all = || self.definitions.iter().chain(current.iter().copied());
        loop {
            let outer = all().filter(|definition| {
                is_used(&definition.workflow, definition.hash)
                    || inner.contains(&definition.workflow)
            });
            let awaited = outer.flat_map(StoredDefinition::awaited_workflows);
            let new = awaited.filter(|name| !inner.contains(name)).collect::<Vec<_>>();
            if new.is_empty() {
                break;
            }
            inner.extend(new);
        }
        let stays = |definition: &mut StoredDefinition| {
            let is_used = is_used(&definition.workflow, definition.hash);
            is_used || inner.contains(&definition.workflow) || is_current(definition)
        };
        self.definitions.extract_if(.., |definition| !stays(definition)).collect()
    }

    fn has(&self, other: &StoredDefinition) -> bool {
        self.definitions.iter().any(|definition| is_same(definition, other))
    }
}

fn is_same(one: &StoredDefinition, other: &StoredDefinition) -> bool {
    (&one.workflow, one.version, one.hash) == (&other.workflow, other.version, other.hash)
}

impl fmt::Display for Lock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&file::write(self))
    }
}
