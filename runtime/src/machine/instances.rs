//! The entry of a workflow by its type, and instances of generic workflows: each is a workflow of its own,
//! with a name of its own.
//!
//! A workflow without parameters registers itself. Which instances of a generic one there are to be,
//! only the program knows, so it names them with [`register!`](macro@crate::register).

use std::any::TypeId;
use std::collections::HashMap;
use std::sync::{OnceLock, PoisonError, RwLock};

use super::entry::Registered;
use super::{Workflow, WorkflowCall, WorkflowEntry};

/// The entry that is registered, or one for this process alone: of an instance that nobody has registered, and of
/// a workflow that only another one awaits.
pub(super) fn entry_of_type<W: Workflow>() -> &'static WorkflowEntry {
    known_entry(TypeId::of::<W>(), WorkflowEntry::of::<W>)
}

fn known_entry(id: TypeId, make: fn() -> WorkflowEntry) -> &'static WorkflowEntry {
    type Known = HashMap<TypeId, &'static WorkflowEntry>;
    static KNOWN: OnceLock<RwLock<Known>> = OnceLock::new();
    if let Some(entry) = registered_entry(id) {
        return entry;
    }
    let known = KNOWN.get_or_init(RwLock::default);
    // Nothing panics while it holds the lock and has the map half changed.
    if let Some(entry) = known.read().unwrap_or_else(PoisonError::into_inner).get(&id) {
        return entry;
    }
    let mut known = known.write().unwrap_or_else(PoisonError::into_inner);
    // There are as many as the program has such workflows, and they are wanted until it ends.
    known.entry(id).or_insert_with(|| Box::leak(Box::new(make())))
}

/// [`Workflow::registered_name`] of an instance.
pub fn instance_name<W: Workflow>() -> Option<&'static str> {
    registered_entry(TypeId::of::<W>()).map(|entry| entry.name)
}

fn registered_entry(id: TypeId) -> Option<&'static WorkflowEntry> {
    static ENTRIES: OnceLock<HashMap<TypeId, &'static WorkflowEntry>> = OnceLock::new();
    let entries =
        ENTRIES.get_or_init(|| WorkflowEntry::all().map(|entry| (entry.type_id, entry)).collect());
    entries.get(&id).copied()
}

/// A function that `#[workflow]` makes of a function with these arguments.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a workflow",
    label = "not a function under `#[workflow]`",
    note = "write the function and its types, as in `register!(relay::<Order>)`"
)]
pub trait WorkflowFunction<Arguments> {
    /// What it makes calls of.
    type Workflow: Workflow;
}

macro_rules! functions {
    ($($name:ident)*) => { functions!(@ [] $($name)*); };
    (@ [$($name:ident)*] $($rest:ident)*) => {
        impl<Function, W: Workflow, $($name),*> WorkflowFunction<($($name,)*)> for Function
        where
            Function: Fn($($name),*) -> WorkflowCall<W>,
        {
            type Workflow = W;
        }
        functions!(@next [$($name)*] $($rest)*);
    };
    (@next [$($name:ident)*] $next:ident $($rest:ident)*) => {
        functions!(@ [$($name)* $next] $($rest)*);
    };
    (@next [$($name:ident)*]) => {};
}

functions!(A B C D E F G H I J K L M N O P);

/// The workflow that `function` makes calls of.
pub const fn entry_of<Arguments, F: WorkflowFunction<Arguments>>(_: &F) -> Registered {
    Registered::of::<F::Workflow>()
}

/// Two texts as one, of `N` bytes.
///
/// # Panics
/// If `N` is not the length of both.
pub const fn concat<const N: usize>(first: &str, second: &str) -> [u8; N] {
    let (first, second) = (first.as_bytes(), second.as_bytes());
    assert!(first.len() + second.len() == N, "the length of both");
    let mut both = [0; N];
    let mut index = 0;
    while index < N {
        both[index] = if index < first.len() { first[index] } else { second[index - first.len()] };
        index += 1;
    }
    both
}

/// The text of these bytes.
///
/// # Panics
/// If they are not text.
pub const fn text(bytes: &'static [u8]) -> &'static str {
    match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(_) => panic!("two texts make a text"),
    }
}
