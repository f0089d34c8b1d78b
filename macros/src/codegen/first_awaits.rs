//! The first await across which each variable is held. It is the span of the bound `Durable`, so rustc shows it when the
//! value cannot be saved.

use proc_macro2::Span;

use super::machine::Machine;
use crate::collections::sets::Set;
use crate::layout::{Variable, VariableId};

/// For each await, its span and the variables that are held across it and no earlier await.
pub(super) fn first_held(machine: &Machine<'_>) -> impl Iterator<Item = (Span, Vec<VariableId>)> {
    let mut held = Set::new();
    machine.layout.states.iter().filter_map(move |state| {
        let at = machine.graph.points[state.point?.0].span;
        let new: Vec<_> = state.fields.iter().copied().filter(|id| held.insert(*id)).collect();
        (!new.is_empty()).then_some((at, new))
    })
}

/// The span of the first await across which such a variable is held.
pub(super) fn first_held_at(
    machine: &Machine<'_>,
    is_such: impl Fn(&VariableId) -> bool,
) -> Option<Span> {
    let state = machine.layout.states.iter().find(|state| state.fields.iter().any(&is_such))?;
    Some(machine.graph.points[state.point?.0].span)
}

/// The span where rustc reports that a variable cannot be saved. All items of a loop share the span of the iterator, so
/// that there is one error.
pub(super) fn error_span(machine: &Machine<'_>, variable: &Variable, at: Span) -> Span {
    let locals = &machine.graph.locals;
    let local = &locals[variable.place.local];
    let span = locals[local.saving.item_of.unwrap_or(variable.place.local)].ident.span();
    // The source does not contain a temporary, so its span resolves at the await.
    if local.is_temporary { span.resolved_at(at) } else { span }
}
