//! The names of generated labels, tokens, slots and variables. A name means the same in every arm.

use proc_macro2::{Ident, Span};
use quote::format_ident;
use syn::{Expr, Lifetime};

use crate::ir::{LocalId, PointId, RegionId, start_of};
use crate::layout::VariableId;
use crate::syntax::hygiene::{TEXTS, hidden, in_source, numbered, written};

/// Whose states and segments: those of the function itself, or those of a region.
pub(super) type Owner = Option<RegionId>;

/// The label of the loop around the arms.
pub(super) fn machine_label(owner: Owner) -> Lifetime {
    label("__piton_state_machine", owner)
}

/// The label of the block around all that a step does, which ends where the step has no return value.
pub(super) fn step_label(owner: Owner) -> Lifetime {
    label("__piton_step", owner)
}

/// Of a label that it does not find at once rustc looks how like it those in between are, unless they are longer by
/// more than a third.
pub(super) fn label(name: &'static str, owner: Owner) -> Lifetime {
    let mut ident = written(name);
    if let Some(region) = owner {
        ident = format_ident!("{ident}{}", region.0);
    }
    Lifetime { apostrophe: ident.span(), ident }
}

/// The label of the block around the arms, of which a macro of another file shall not break unseen: rustc refuses
/// a `break` or `continue` without a label that would leave such a block.
pub(super) fn arms_label() -> Lifetime {
    // One that begins so need not be used.
    Lifetime::new("'_piton_arms_of_the_state_machine", Span::mixed_site())
}

/// What the texts are borrowed from that have been loaded.
pub(super) fn texts() -> Ident {
    hidden(TEXTS)
}

/// The slot through which a variable goes from segment to segment.
pub(super) fn slot(id: VariableId) -> Ident {
    numbered("s", id.0)
}

/// The state that the machine is in, and then the next.
pub(super) fn parked() -> Ident {
    written("__piton_parked")
}

/// The context, as generated code sees it.
pub(super) fn context() -> Ident {
    written("__piton_cx")
}

/// The variable that holds an operation while it is outstanding.
pub(super) fn call(index: usize) -> Ident {
    numbered("call", index)
}

/// The variable that holds what an operation gave.
pub(super) fn ready(index: usize) -> Ident {
    numbered("ready", index)
}

/// The value of the await that a segment follows.
pub(super) fn awaited(span: Span) -> Ident {
    in_source("value", span)
}

/// What a branch begins with: the operation, or whether there is anything to begin.
pub(super) fn made(point: PointId, index: usize) -> Ident {
    hidden(&format!("m{}_{index}", point.0))
}

/// What a region takes over.
pub(super) fn taken_over(region: RegionId, id: VariableId) -> Ident {
    hidden(&format!("g{}_{}", region.0, id.0))
}

/// The token of the value that a region gives to a `join!`.
pub(super) fn output_token(region: RegionId) -> Ident {
    numbered("v", region.0)
}

/// The token of the type of a region's value.
pub(super) fn value_token(region: RegionId) -> Ident {
    numbered("r", region.0)
}

pub(super) fn closure(region: RegionId) -> Ident {
    numbered("region", region.0)
}

pub(super) fn begins(region: RegionId) -> Ident {
    numbered("begins", region.0)
}

/// The handle of a region.
pub(super) fn handle(region: RegionId) -> Ident {
    numbered("h", region.0)
}

/// The type token of a saved variable.
pub(super) fn token(id: VariableId) -> Ident {
    numbered("t", id.0)
}

/// The token of a local that is of one type in several segments, saved or not.
pub(super) fn type_token(local: LocalId) -> Ident {
    numbered("y", local.0)
}

/// The token of a part of a local that one segment moves out and another fills.
pub(super) fn part_token(id: VariableId) -> Ident {
    numbered("p", id.0)
}

/// The type token of an operation.
pub(super) fn operation_token(point: PointId, index: usize) -> Ident {
    hidden(&format!("f{}_{index}", point.0))
}

/// The token of an operation that is awaited alone. What rustc says of a use of it is said of the operation, and so no
/// more than once.
pub(super) fn token_of_await(point: PointId, operation: &Expr) -> Ident {
    let mut token = operation_token(point, 0);
    token.set_span(start_of(operation));
    token
}

/// The token of an argument.
pub(super) fn argument_token(index: usize) -> Ident {
    numbered("a", index)
}

/// What is told of the values of a variable.
pub(super) fn told_token(id: VariableId) -> Ident {
    numbered("lasts", id.0)
}
