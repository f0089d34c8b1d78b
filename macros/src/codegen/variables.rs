//! The names of generated labels, tokens, slots and variables. A name means the same in every arm.

use proc_macro2::{Ident, Span};
use quote::format_ident;
use syn::{Expr, Lifetime};

use crate::ir::{LocalId, PointId, RegionId, start_of};
use crate::layout::VariableId;
use crate::syntax::hygiene::{TEXTS, hidden, in_source, numbered, written};

/// The owner of states and segments: the function (`None`) or a region.
pub(super) type Owner = Option<RegionId>;

/// The label of the loop around the arms.
pub(super) fn machine_label(owner: Owner) -> Lifetime {
    label("__piton_state_machine", owner)
}

/// The label of the block around the loop. A step without a return value breaks to it.
pub(super) fn step_label(owner: Owner) -> Lifetime {
    label("__piton_step", owner)
}

/// A long name: to suggest similar labels, rustc compares a label with those in between, unless their lengths differ by
/// more than a third.
pub(super) fn label(name: &'static str, owner: Owner) -> Lifetime {
    let mut ident = written(name);
    if let Some(region) = owner {
        ident = format_ident!("{ident}{}", region.0);
    }
    Lifetime { apostrophe: ident.span(), ident }
}

/// The label of the block around the arms. rustc refuses an unlabeled `break` or `continue` that leaves a labeled
/// block, so a macro of another file cannot leave the machine's loop.
pub(super) fn arms_label() -> Lifetime {
    // rustc does not report a label with this prefix as unused.
    Lifetime::new("'_piton_arms_of_the_state_machine", Span::mixed_site())
}

/// The store of loaded texts, from which variables borrow.
pub(super) fn texts() -> Ident {
    hidden(TEXTS)
}

/// The slot that passes a variable from segment to segment.
pub(super) fn slot(id: VariableId) -> Ident {
    numbered("s", id.0)
}

/// The parked state: first the one that is resumed, then the next one.
pub(super) fn parked() -> Ident {
    written("__piton_parked")
}

/// The context, as generated code sees it.
pub(super) fn context() -> Ident {
    written("__piton_cx")
}

/// The variable for an operation until it starts.
pub(super) fn call(index: usize) -> Ident {
    numbered("call", index)
}

/// The variable for the value of a branch that is ready.
pub(super) fn ready(index: usize) -> Ident {
    numbered("ready", index)
}

/// The value of the await that a segment follows.
pub(super) fn awaited(span: Span) -> Ident {
    in_source("value", span)
}

/// The variable with which a branch begins: its operation, or whether a region begins.
pub(super) fn made(point: PointId, index: usize) -> Ident {
    hidden(&format!("m{}_{index}", point.0))
}

/// The variable through which a region captures a variable.
pub(super) fn taken_over(region: RegionId, id: VariableId) -> Ident {
    hidden(&format!("g{}_{}", region.0, id.0))
}

/// The token of the value that a region returns to a `join!`.
pub(super) fn output_token(region: RegionId) -> Ident {
    numbered("v", region.0)
}

/// The token of a region's value within the region.
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

/// The token that ties a local in several segments, saved or not.
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

/// The token of an operation that is awaited alone, with the span of the operation, so that rustc reports an error
/// once.
pub(super) fn token_of_await(point: PointId, operation: &Expr) -> Ident {
    let mut token = operation_token(point, 0);
    token.set_span(start_of(operation));
    token
}

/// The token of an argument.
pub(super) fn argument_token(index: usize) -> Ident {
    numbered("a", index)
}

/// The token of the encoding that the type of a variable selects.
pub(super) fn encoding_token(id: VariableId) -> Ident {
    numbered("lasts", id.0)
}
