//! Users' functions that convert one saved state: `#[migrate]`.

use std::any::TypeId;
use std::marker::PhantomData;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::narrow::narrow;
use super::plan::{Inside, Plan, check_operation, match_branches, prefix};
use super::{StoredDefinition, StoredState, known};
use crate::codec::{self, CodecError, Given};
use crate::generated::registration::Registrations;
use crate::machine::{States, Workflow, WorkflowEntry};
use crate::model::Difference;

/// The target of a `#[migrate]` function: a state of `W`, and its locals.
///
/// All locals of the state must be there, each by [`with`](Resume::with) or [`keep`](Resume::keep). The state must
/// await the operations that the saved one awaits. If those are a `select!` or a `join!`, it may await some of them, or
/// one of them alone; the others are cancelled. If the `join!` already has the outcome of one of the others, the run
/// stays blocked.
#[derive(Debug)]
#[must_use = "return it from the `#[migrate]` function, which decides where the run continues"]
pub struct Resume<W> {
    target: Target,
    workflow: PhantomData<fn() -> W>,
}

/// A [`Resume`] without its type.
#[doc(hidden)]
#[derive(Debug)]
pub struct Target {
    state: String,
    locals: Vec<(String, Result<Local, CodecError>)>,
}

#[derive(Debug)]
enum Local {
    Given(Given),
    /// The saved local of the same name.
    Kept,
}

impl<W: Workflow> Resume<W> {
    /// Continues in a state: `Resume::at(fulfill::Charge)`.
    pub fn at(state: W) -> Self
    where
        W: States,
    {
        Self::at_named(state.name())
    }

    /// Continues in the state with this stored name. For states that have no variant, such as those of methods.
    pub fn at_named(state: impl Into<String>) -> Self {
        let target = Target { state: state.into(), locals: Vec::new() };
        Self { target, workflow: PhantomData }
    }

    /// Sets a local. `local` is its stored name: `order.id` for a part.
    pub fn with<T: Serialize>(mut self, local: &str, value: &T) -> Self {
        let given = codec::given(value).map(Local::Given);
        self.target.locals.push((local.to_owned(), given));
        self
    }

    /// Keeps the saved local with this name. Its value is converted to the present type.
    pub fn keep(mut self, local: &str) -> Self {
        self.target.locals.push((local.to_owned(), Ok(Local::Kept)));
        self
    }

    #[doc(hidden)]
    pub fn into_target(self) -> Target {
        self.target
    }
}

/// The saved locals, by name.
#[doc(hidden)]
#[derive(Debug)]
pub struct SavedLocals(Given);

impl SavedLocals {
    /// Decodes the locals as a struct.
    ///
    /// # Errors
    /// [`CodecError::Decode`] if they do not fit the struct.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, CodecError> {
        self.0.read()
    }
}

/// A migration in the registry, created by `#[migrate]`.
#[doc(hidden)]
#[derive(Debug)]
pub struct Migration {
    /// Identifies the workflow.
    workflow: fn() -> TypeId,
    /// The name of the saved state.
    from: &'static str,
    run: fn(SavedLocals) -> Result<Target, CodecError>,
}

static REGISTERED: Registrations<Migration> = Registrations::new();

impl Migration {
    /// A migration of `W` from this state.
    pub const fn of<W: 'static>(
        from: &'static str,
        run: fn(SavedLocals) -> Result<Target, CodecError>,
    ) -> Self {
        Self { workflow: TypeId::of::<W>, from, run }
    }

    /// Adds the migration to the registry, before `main`.
    pub fn register(&'static self) {
        REGISTERED.add(self);
    }

    /// Finds the migration of a workflow from a state that the same version of it saved.
    pub(super) fn find(
        entry: &WorkflowEntry,
        before: &StoredDefinition,
        saved: &StoredState,
    ) -> Option<&'static Self> {
        let is_it = |migration: &&Self| {
            (migration.workflow)() == entry.type_id && migration.from == saved.name
        };
        let found = REGISTERED.all().into_iter().find(is_it);
        found.filter(|_| before.version == entry.version)
    }

    /// The states of earlier definitions that the workflow has a migration for.
    pub(super) fn states_from(entry: &WorkflowEntry) -> Vec<String> {
        let all = REGISTERED.all().into_iter();
        let own = all.filter(|migration| (migration.workflow)() == entry.type_id);
        let mut names: Vec<_> = own.map(|migration| migration.from.to_owned()).collect();
        names.sort();
        names
    }

    /// Runs the migration on the saved locals. Returns the plan for the operations, and the new locals.
    pub(super) fn migrate(
        &self,
        entry: &'static WorkflowEntry,
        saved: &StoredState,
        values: Vec<Given>,
        inside: Option<&Inside>,
    ) -> Result<(Plan, Vec<Vec<u8>>), Difference> {
        let failed = |reason: String| Difference::Migration { reason };
        let now = known::own(entry);
        let names = saved.locals.iter().map(|local| &*local.name);
        let by_name = Given::by_name(names.clone().zip(values.iter().cloned()));
        let target = (self.run)(SavedLocals(by_name)).map_err(|error| failed(error.to_string()))?;
        let (number, found) = find(now, &target.state, inside).ok_or_else(|| {
            failed(format!("there is no state `{}` to continue at", target.state))
        })?;
        let same = check_operation(saved, found);
        let same = same.and_then(|()| match_branches(&saved.branches, &found.branches));
        let (branches, narrowed) = match (same, narrow(saved, found)) {
            (Ok(branches), _) => (branches, None),
            (Err(_), Some((branches, narrowed))) => (branches, Some(narrowed)),
            (Err(difference), None) => return Err(difference),
        };
        let defined = &entry.definition().states[number as usize].locals;
        if let Some((name, _)) = target
            .locals
            .iter()
            .find(|(name, _)| found.locals.iter().all(|local| local.name != *name))
        {
            return Err(failed(format!("the state `{}` keeps no local `{name}`", found.name)));
        }
        let mut given = target.locals;
        let mut locals = Vec::with_capacity(defined.len());
        for (local, defined) in found.locals.iter().zip(defined) {
            let name = &local.name;
            let missing =
                || failed(format!("the local `{name}` is missing: set it by `with` or `keep`"));
            let at = given.iter().position(|(given, _)| given == name).ok_or_else(missing)?;
            let value = given.swap_remove(at).1.map(|value| match value {
                Local::Given(value) => Some(value),
                Local::Kept => {
                    let old = names.clone().position(|old| old == name);
                    old.map(|old| values[old].clone())
                }
            });
            let value = value.map_err(|error| failed(error.to_string()))?;
            let value = value.ok_or_else(|| failed(format!("no local `{name}` was saved")))?;
            let converted = defined.kind.described.convert(value).map_err(|error| {
                Difference::Unreadable { value: name.clone(), reason: error.to_string() }
            })?;
            locals.push(converted);
        }
        Ok((Plan { state: number, locals: Vec::new(), branches, narrowed }, locals))
    }
}

/// Finds the state with this name, in the same branch as the saved state or outside any branch.
fn find<'a>(
    now: &'a StoredDefinition,
    name: &str,
    inside: Option<&Inside>,
) -> Option<(u32, &'a StoredState)> {
    let around = now.states.iter().flat_map(|state| {
        let blocks = state.branches.iter().enumerate();
        let blocks = blocks.filter(|(_, branch)| branch.awaited.is_none());
        blocks.map(|(branch, _)| prefix(&state.name, branch))
    });
    let nearest = around.filter(|prefix| name.starts_with(prefix)).max_by_key(String::len);
    let expected = inside.map_or("", |inside| &inside.now);
    if nearest.unwrap_or_default() != expected {
        return None;
    }
    (0..).zip(&now.states).find(|(_, state)| state.name == name)
}
