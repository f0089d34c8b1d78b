//! The identity of a definition: a hash of its states and of the arguments of its runs.

use std::collections::{HashMap, HashSet};

use super::context::Description;
use super::values::{ArgumentKind, SavedKind};
use super::{Awaited, Context, Parked, WorkflowEntry, handles};
use crate::codec::schemas::{self, TypeSchema};
use crate::codec::{self, CodecError, Form};
use crate::model::{AwaitKind, BorrowNode, DefinitionHash, Node, Payload, Place, StableHash};

/// The identity of a definition, and the data that determines it.
#[derive(Debug)]
pub struct Definition {
    /// Identifies states, saved locals and their schemas.
    pub hash: DefinitionHash,
    /// The states.
    pub(crate) states: Vec<DefinedState>,
    /// The types of the parameters.
    pub(crate) parameters: &'static [ArgumentKind],
    /// The schema of the return value.
    pub(crate) returned: &'static TypeSchema,
    /// Whether its frames may contain parts that are not described here: frames of other workflows, and outputs of
    /// `async` blocks.
    #[cfg_attr(not(feature = "engine"), expect(dead_code, reason = "evolution asks for it"))]
    pub(crate) holds_others: bool,
}

/// A state of a definition.
#[derive(Debug)]
pub(crate) struct DefinedState {
    pub(crate) node: Node,
    /// Its locals, in stored order.
    pub(crate) locals: Vec<DefinedLocal>,
    /// The operations that it awaits, one for each branch that is no `async` block.
    pub(crate) awaited: Vec<&'static Awaited>,
    /// For each of its borrows, a hash of the code that makes it and of the constants in that.
    pub(crate) borrows: Vec<u32>,
}

impl DefinedState {
    /// Adds the data that determines how a saved state is read.
    fn add_to(&self, hash: &mut StableHash) {
        let Self { node, locals, awaited, borrows } = self;
        hash.add(node.name);
        hash.add(&format!("{:?}", node.kind));
        add_place(node.place, hash);
        for (local, defined) in node.locals.iter().zip(locals) {
            hash.add(local.name);
            hash.add(&defined.schema.hash.to_string());
            // What binds a local tells whether it has exchanged its name with another one.
            hash.add(&text_of(local.place));
            if !local.initializers.is_empty() {
                hash.add(&format!("initializers {}", local.initializers));
            }
            if local.used_by != 0 {
                hash.add(&format!("used by {}", local.used_by));
            }
            if local.unordered != 0 {
                hash.add(&format!("unordered {}", local.unordered));
            }
            // A definition is recorded once, and says what may be shown.
            if local.redacted {
                hash.add("redacted");
            }
            if local.exposed {
                hash.add("exposed");
            }
            if let Some(fields) = &defined.fields {
                hash.add(&format!("fields {fields:?}"));
            }
            defined.handles.iter().for_each(|awaited| add_awaited(awaited, hash));
        }
        for branch in &node.branches {
            hash.add(branch.name);
            add_place(branch.place, hash);
        }
        awaited.iter().for_each(|awaited| add_awaited(awaited, hash));
        for (borrow, made) in node.borrows.iter().zip(borrows) {
            hash.add(&format!("borrow {} {made:08x}", borrow.name));
        }
    }
}

/// The hash of what makes a borrow, where these are the contents of constants.
fn made_by(borrow: &BorrowNode, constants: &[u64]) -> u32 {
    let mut hash = StableHash::new();
    hash.add(&borrow.fingerprint.to_string());
    for number in &borrow.constants {
        hash.add(&constants.get(*number).copied().unwrap_or_default().to_string());
    }
    let hash = hash.finish();
    // Both halves of it.
    (hash ^ (hash >> 32)) as u32
}

/// Whether this is the serialized name of a handle type.
fn is_handle(type_name: &str) -> bool {
    ["ChildHandle", "Promise", "Spawned"].contains(&type_name)
}

/// Adds the place, unless the name is unique and no local holds the operation.
fn add_place(place: Place, hash: &mut StableHash) {
    if place.count > 1 || place.others != 0 {
        hash.add(&text_of(place));
    }
}

/// The text of a place in the hash of a definition, which must stay as it is: it has a field for an operation only if there
/// is one.
fn text_of(place: Place) -> String {
    let Place { index, count, fingerprint, others, operation } = place;
    let operation = match operation {
        0 => String::new(),
        operation => format!(", operation: {operation}"),
    };
    format!(
        "Place {{ index: {index}, count: {count}, fingerprint: {fingerprint}, others: {others}{operation} }}"
    )
}

/// Adds the types of an instance of a generic workflow.
fn add_instance(entry: &WorkflowEntry, hash: &mut StableHash) {
    if let Some(instance) = entry.instance() {
        hash.add(&format!("instance {instance}"));
    }
}

fn add_awaited(awaited: &Awaited, hash: &mut StableHash) {
    let mut add_type = |described| hash.add(&schemas::of_type(described).hash.to_string());
    match awaited {
        Awaited::Activity { name, arguments, returned } => {
            add_type(*returned);
            hash.add(name);
            hash.add(&schemas::of_arguments(arguments).hash.to_string());
        }
        Awaited::Workflow(entry) => {
            let entry = entry();
            hash.add(entry.name);
            add_instance(entry, hash);
            if entry.version != 1 {
                hash.add(&format!("version {}", entry.version));
            }
        }
        Awaited::Timer => hash.add("timer"),
        Awaited::Signal { name, value, is_limited } => {
            add_type(*value);
            hash.add(name);
            hash.add(if *is_limited { "limited" } else { "signal" });
        }
        Awaited::Update { name, value, reply, is_limited } => {
            add_type(*value);
            add_type(*reply);
            hash.add(name);
            hash.add(if *is_limited { "limited update" } else { "update" });
        }
        Awaited::Cancellation => hash.add("cancellation"),
        Awaited::Child { workflow, returned, .. } => {
            add_type(*returned);
            hash.add(workflow);
            hash.add("child");
        }
        Awaited::Promise { resolved, rejected, is_limited } => {
            add_type(*resolved);
            add_type(*rejected);
            hash.add(if *is_limited { "limited promise" } else { "promise" });
        }
        Awaited::Fill(item) => {
            hash.add("fill");
            add_awaited(item, hash);
        }
        Awaited::List(item) => {
            hash.add("list");
            add_awaited(item, hash);
        }
        Awaited::Within(item) => {
            hash.add("within");
            add_awaited(item, hash);
        }
        Awaited::Each(item) => {
            hash.add("each");
            add_awaited(item, hash);
        }
        Awaited::Repeated(item) => {
            hash.add("repeated");
            add_awaited(item, hash);
        }
    }
}

/// A local that a state saves.
#[derive(Debug)]
pub(crate) struct DefinedLocal {
    pub(crate) kind: SavedKind,
    pub(crate) schema: &'static TypeSchema,
    /// For a part: the serialized names of the fields on the path to it, if they are known.
    pub(crate) fields: Option<Vec<String>>,
    /// The operations of the handles in it.
    pub(crate) handles: Vec<&'static Awaited>,
}

impl DefinedLocal {
    fn of(kind: SavedKind, fields: Option<Vec<String>>) -> Self {
        let schema = schemas::of_type(kind.described);
        let types = schema.schema.format.as_ref().map(|(_, types)| types);
        // A type without a traced schema may contain any other type.
        let may_have_some = types.is_none_or(|types| types.iter().any(|it| is_handle(&it.name)));
        let handles = if may_have_some { handles::in_type(kind.described) } else { Vec::new() };
        let mut seen = HashSet::new();
        let is_new = |awaited: &&'static Awaited| {
            let mut hash = StableHash::new();
            add_awaited(awaited, &mut hash);
            seen.insert(hash.finish())
        };
        Self { kind, schema, fields, handles: handles.into_iter().filter(is_new).collect() }
    }

    /// The form in which it is saved.
    pub(crate) fn form(&self) -> Form {
        self.schema.form()
    }
}

impl Definition {
    /// Computes the identity of a workflow from the description that its machine gives.
    pub(super) fn of(entry: &WorkflowEntry) -> Self {
        let cx = Context::describing();
        // The step only describes the machine, and continues from no state.
        let described = entry.steps.step(&mut Parked::nowhere(), &cx);
        debug_assert!(described.is_err());
        let Description { locals, awaited, parts, constants } = cx.take_description();
        let parameters = entry.parameters;
        let returned = schemas::of_type(entry.steps.returned());
        // The output of a branch may have the name of a part of a local, and comes after all locals.
        let locals = locals.into_iter().rev();
        let kind_of: HashMap<_, _> = locals.collect();
        let mut awaited = awaited.into_iter();
        let states = entry.graph.nodes().into_iter().map(|node| {
            let names = node.locals.iter().map(|local| local.name);
            let locals = names
                .map(|name| DefinedLocal::of(kind_of[name], parts.get(name).cloned().flatten()));
            let count = match (node.kind, &node.branches[..]) {
                (AwaitKind::Start, _) => 0,
                (_, []) => 1,
                (_, branches) => branches.iter().filter(|branch| !branch.is_block).count(),
            };
            let awaited = awaited.by_ref().take(count).collect();
            let borrows = node.borrows.iter().map(|borrow| made_by(borrow, &constants));
            DefinedState { locals: locals.collect(), awaited, borrows: borrows.collect(), node }
        });
        let states: Vec<_> = states.collect();
        let mut hash = StableHash::new();
        hash.add(entry.graph.workflow);
        add_instance(entry, &mut hash);
        if entry.version != 1 {
            hash.add(&format!("version {}", entry.version));
        }
        hash.add(&schemas::of_arguments(parameters).hash.to_string());
        hash.add(&returned.hash.to_string());
        states.iter().for_each(|state| state.add_to(&mut hash));
        for number in entry.options.redacted_parameters {
            hash.add(&format!("redacted parameter {number}"));
        }
        // The recorded definition is to have the pattern by which starts without code make ids.
        if let Some(id) = entry.id {
            id().add_to(&mut hash);
        }
        let holds_others = states.iter().any(|state| {
            let awaits_workflow = state.awaited.iter().any(|awaited| awaited.workflow().is_some());
            awaits_workflow || state.node.branches.iter().any(|branch| branch.is_block)
        });
        let hash = DefinitionHash(hash.finish());
        Self { hash, states, parameters, returned, holds_others }
    }

    /// The hash that identifies states; in simulations, that of the simulated build.
    pub(crate) fn hash(&self) -> DefinitionHash {
        #[cfg(feature = "simulation")]
        return crate::process::Process::hash_in_build(self.hash);
        #[cfg(not(feature = "simulation"))]
        self.hash
    }

    /// Checks that arguments are those of the workflow.
    ///
    /// # Errors
    /// [`CodecError::Decode`] if they are not.
    pub fn check(&self, arguments: &Payload) -> Result<(), CodecError> {
        codec::check_arguments(arguments, self.parameters)
    }

    /// The types that cannot be saved, each with the reason: of locals, arguments and the return value, and of what the
    /// operations that are awaited take and give.
    pub fn problems(&self) -> impl Iterator<Item = String> {
        let locals = self
            .states
            .iter()
            .flat_map(|state| state.node.locals.iter().map(|local| local.name).zip(&state.locals));
        let locals = locals.map(|(name, local)| (format!("`{name}`"), local.schema));
        let parameters = schemas::of_arguments(self.parameters).parameters.iter();
        let others = parameters.map(|parameter| ("`arguments`".to_owned(), *parameter));
        let returned = ("`return value`".to_owned(), self.returned);
        let operations = self.states.iter().flat_map(|state| &state.awaited);
        let operations = operations.flat_map(|awaited| awaited.values());
        let operations = operations.map(|(what, described)| (what, schemas::of_type(described)));
        let all = others.chain([returned]).chain(locals).chain(operations);
        let problems = all.filter_map(|(what, known)| schemas::problem_of(&what, known));
        // An operation may be awaited in several places.
        let mut told = HashSet::new();
        problems.filter(move |problem| told.insert(problem.clone()))
    }
}
