//! A workflow without its type, for the registry.

use std::any::TypeId;
use std::collections::HashMap;
use std::sync::{LazyLock, OnceLock, PoisonError, RwLock};

use super::definition::Definition;
use super::id_pattern::IdPattern;
use super::values::ArgumentKind;
use super::workflow::{Steps, Workflow, WorkflowOptions};
use crate::generated::registration::Registrations;
use crate::hidden::Hidden;
use crate::model::Graph;

/// A workflow without its type.
pub struct WorkflowEntry {
    /// The stored name.
    pub name: &'static str,
    /// Its former stored names.
    pub formerly: &'static [&'static str],
    /// Its version.
    pub version: u32,
    /// Identifies the type of the [`Workflow`].
    pub type_id: TypeId,
    /// The name of that type.
    pub(crate) type_name: fn() -> &'static str,
    /// The names of its exposed variables.
    pub exposed: &'static [&'static str],
    /// The states and the transitions between them.
    pub graph: &'static Graph,
    /// The options of the attribute.
    pub options: WorkflowOptions,
    /// What makes the workflow id of a run that is started without another.
    pub(crate) id: Option<fn() -> IdPattern>,
    /// The steps.
    pub steps: &'static dyn Steps,
    /// Its parameters.
    pub(crate) parameters: &'static [ArgumentKind],
    names: OnceLock<Box<[&'static str]>>,
    definition: OnceLock<Box<dyn Hidden<Definition> + Send + Sync>>,
}

/// An item of the registry: the constant part of an entry.
///
/// Entries are created from these at first use, so that the generated code of a workflow needs neither a `static` for
/// its entry nor a function that returns it.
#[derive(Clone)]
pub struct Registered {
    /// The stored name.
    pub name: &'static str,
    formerly: &'static [&'static str],
    version: u32,
    type_id: TypeId,
    type_name: fn() -> &'static str,
    exposed: &'static [&'static str],
    graph: &'static Graph,
    options: WorkflowOptions,
    id: Option<fn() -> IdPattern>,
    steps: &'static dyn Steps,
    parameters: &'static [ArgumentKind],
}

impl Registered {
    /// The item of `W`.
    pub const fn of<W: Workflow>() -> Self {
        Self {
            name: W::NAME,
            formerly: W::FORMERLY,
            version: W::VERSION,
            type_id: TypeId::of::<W>(),
            type_name: std::any::type_name::<W>,
            exposed: W::EXPOSED,
            graph: W::GRAPH,
            options: W::OPTIONS,
            id: W::ID,
            steps: W::STEPS,
            parameters: W::ARGUMENTS,
        }
    }

    /// The same item with another name.
    #[must_use]
    pub const fn named(mut self, name: &'static str) -> Self {
        self.name = name;
        self
    }

    const fn into_entry(self) -> WorkflowEntry {
        let Self {
            name,
            formerly,
            version,
            type_id,
            type_name,
            exposed,
            graph,
            options,
            id,
            steps,
            parameters,
        } = self;
        WorkflowEntry {
            name,
            formerly,
            version,
            type_id,
            type_name,
            exposed,
            graph,
            options,
            id,
            steps,
            parameters,
            names: OnceLock::new(),
            definition: OnceLock::new(),
        }
    }
}

static REGISTERED: Registrations<Registered> = Registrations::new();

/// A type that registers itself.
#[doc(hidden)]
pub trait Instance {
    /// Its item in the registry.
    const REGISTERED: Registered;
}

impl<W: Workflow> Instance for W {
    const REGISTERED: Registered = Registered::of::<W>();
}

/// Adds an instance to the registry, before `main`.
#[doc(hidden)]
pub extern "C" fn register<I: Instance>() {
    add(const { &I::REGISTERED });
}

extern "C" fn add(registered: &'static Registered) {
    REGISTERED.add(registered);
}

/// The entries of all registered workflows, created once.
static ENTRIES: LazyLock<Vec<WorkflowEntry>> = LazyLock::new(|| {
    REGISTERED.all().into_iter().map(|registered| registered.clone().into_entry()).collect()
});

/// The registered entry, or one for this process alone: for an instance that is not registered, and a workflow that is
/// only awaited by another one.
pub(crate) fn entry_of_type<W: Workflow>() -> &'static WorkflowEntry {
    known_entry(TypeId::of::<W>(), WorkflowEntry::of::<W>)
}

fn known_entry(id: TypeId, make: fn() -> WorkflowEntry) -> &'static WorkflowEntry {
    type Known = HashMap<TypeId, &'static WorkflowEntry>;
    static KNOWN: OnceLock<RwLock<Known>> = OnceLock::new();
    if let Some(entry) = registered_entry(id) {
        return entry;
    }
    let known = KNOWN.get_or_init(RwLock::default);
    // Every operation leaves the map consistent, so a poisoned lock is harmless.
    if let Some(entry) = known.read().unwrap_or_else(PoisonError::into_inner).get(&id) {
        return entry;
    }
    let mut known = known.write().unwrap_or_else(PoisonError::into_inner);
    // Leaks at most one entry for each such workflow of the program.
    known.entry(id).or_insert_with(|| Box::leak(Box::new(make())))
}

pub(crate) fn registered_entry(id: TypeId) -> Option<&'static WorkflowEntry> {
    static ENTRIES: OnceLock<HashMap<TypeId, &'static WorkflowEntry>> = OnceLock::new();
    let entries =
        ENTRIES.get_or_init(|| WorkflowEntry::all().map(|entry| (entry.type_id, entry)).collect());
    entries.get(&id).copied()
}

impl WorkflowEntry {
    /// The entry of `W`.
    pub const fn of<W: Workflow>() -> Self {
        Registered::of::<W>().into_entry()
    }

    /// All registered workflows.
    pub fn all() -> impl Iterator<Item = &'static Self> {
        ENTRIES.iter()
    }

    /// The entry registered under `name`; the newest version if there are several.
    pub fn find(name: &str) -> Option<&'static Self> {
        Self::all().filter(|entry| entry.name == name).max_by_key(|entry| entry.version)
    }

    /// The stored name, and the former ones.
    pub fn names(&self) -> &[&'static str] {
        let all = || std::iter::once(self.name).chain(self.formerly.iter().copied());
        self.names.get_or_init(|| all().collect())
    }

    /// The types that a generic workflow is an instance with, as Rust writes them: `<u64>`.
    pub(crate) fn instance(&self) -> Option<&'static str> {
        let name = (self.type_name)();
        name.find('<').map(|start| &name[start..])
    }

    /// The identity of the definition, computed once per process.
    pub fn definition(&self) -> &Definition {
        (**self.definition.get_or_init(|| Box::new(Definition::of(self)))).reveal()
    }
}

impl std::fmt::Debug for WorkflowEntry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WorkflowEntry").field("name", &self.name).finish_non_exhaustive()
    }
}
