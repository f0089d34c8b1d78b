//! The identity of a definition: what its states, and the arguments of its runs, are known by.

use std::collections::HashMap;

use super::context::Description;
use super::values::{ArgumentKind, DropSaved};
use super::{Context, Parked, WorkflowEntry};
use crate::codec::{Arguments, CodecError, Reader, Schema};
use crate::model::{DefinitionHash, Node, Payload};

/// The identity of a definition and what it rests on.
#[derive(Debug)]
pub struct Definition {
    /// Identifies states, saved locals and their schemas.
    pub hash: DefinitionHash,
    /// The schema of every saved local and of arguments and return value.
    pub schemas: Vec<(&'static str, Schema)>,
    /// The states.
    pub(crate) states: Vec<DefinedState>,
    /// The types of the arguments.
    pub(crate) arguments: Vec<ArgumentKind>,
}

/// A state of a definition.
#[derive(Debug)]
pub(crate) struct DefinedState {
    pub(crate) node: Node,
    /// How each of its locals is dropped.
    pub(crate) drops: Vec<Option<DropSaved>>,
}

impl Definition {
    /// Computes the identity of a workflow by having its machine tell what it is made of.
    pub(super) fn of(entry: &WorkflowEntry) -> Self {
        let cx = Context::describing();
        // The step only describes, and has no state to go on from.
        let described = entry.steps.step(&mut Parked::nowhere(), &cx);
        debug_assert!(described.is_err());
        let Description { arguments, locals, .. } = cx.take_description();
        let types: Vec<_> = arguments.iter().map(|argument| argument.described).collect();
        let returned = entry.steps.returned().schema();
        let mut schemas = vec![("arguments", Schema::of_tuple(&types)), ("return value", returned)];
        schemas.extend(locals.iter().map(|(name, local)| (*name, local.described.schema())));
        // What a branch gives may be called as a part of a local is, and is told of after all locals.
        let locals = locals.into_iter().rev();
        let drop_of: HashMap<_, _> = locals.map(|(name, local)| (name, local.drop)).collect();
        let states = entry.graph.nodes().into_iter().map(|node| {
            let names = node.locals.iter().map(|local| local.name);
            let drops = names.map(|name| drop_of.get(name).copied().flatten()).collect();
            DefinedState { node, drops }
        });
        let states: Vec<_> = states.collect();
        let mut hash = StableHash::new();
        hash.add(entry.graph.workflow);
        for DefinedState { node, .. } in &states {
            hash.add(node.name);
            node.locals.iter().for_each(|local| hash.add(local.name));
        }
        for (name, schema) in &schemas {
            hash.add(name);
            match &schema.format {
                // Formats are plain enums and strings, which always have a JSON form.
                Some(format) => hash.add(&serde_json::to_string(format).unwrap_or_default()),
                None => hash.add(&schema.type_name),
            }
        }
        Self { hash: DefinitionHash(hash.0), schemas, states, arguments }
    }

    /// What states are known by: the hash, in simulations as the build of the process has it.
    pub(super) fn hash(&self) -> DefinitionHash {
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
        let mut arguments = Reader::new(arguments.as_bytes());
        let mut copies = Arguments::NONE;
        let mut kinds = self.arguments.iter().map(|argument| argument.described);
        let are_read = kinds.all(|described| described.is_next(&mut arguments, &mut copies));
        // They are of no use.
        drop(copies.finish());
        if are_read { arguments.finish() } else { Err(arguments.failure()) }
    }

    /// The types that cannot be saved, each with the reason.
    pub fn problems(&self) -> impl Iterator<Item = String> {
        self.schemas.iter().filter_map(|(name, schema)| {
            let problem = schema.problem.as_ref()?;
            Some(format!(
                "`{name}` has the type `{}`, which cannot be saved: {problem}; wrap it in \
                 `piton::Json<…>`",
                schema.type_name
            ))
        })
    }
}

/// FNV-1a (Fowler, Noll, Vo): the same on every platform and with every compiler, unlike the hashers
/// of the standard library. It tells definitions apart; nothing hangs on it being hard to forge.
struct StableHash(u64);

impl StableHash {
    fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    fn add(&mut self, text: &str) {
        // The closing byte is not part of any text, so texts do not run together.
        for byte in text.bytes().chain([0xff]) {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
}
