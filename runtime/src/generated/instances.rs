//! Instances of generic workflows: each is a separate workflow with its own name.
//!
//! A workflow without type parameters registers itself. A program lists the instances of a generic workflow that it
//! needs with [`register!`](macro@crate::register).

use std::any::TypeId;

use super::{Registered, Workflow, WorkflowCall};
use crate::machine::entry::registered_entry;

/// [`Workflow::registered_name`] of an instance.
pub fn instance_name<W: Workflow>() -> Option<&'static str> {
    registered_entry(TypeId::of::<W>()).map(|entry| entry.name)
}

/// A function that `#[workflow]` makes of a function with these arguments.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a workflow",
    label = "not a function with `#[workflow]`",
    note = "write the function and its types, as in `register!(relay::<Order>)`"
)]
pub trait WorkflowFunction<Arguments> {
    /// The workflow of its calls.
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

/// The registry entry of the workflow that `function` calls.
pub const fn entry_of<Arguments, F: WorkflowFunction<Arguments>>(_: &F) -> Registered {
    Registered::of::<F::Workflow>()
}

/// Concatenates two texts to `N` bytes.
///
/// # Panics
/// If `N` is not the sum of their lengths.
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
/// If they are not UTF-8.
pub const fn text(bytes: &'static [u8]) -> &'static str {
    match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(_) => panic!("two texts make a text"),
    }
}
