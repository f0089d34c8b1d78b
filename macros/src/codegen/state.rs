//! The numbers that states and arms go by.
//!
//! A state has the number of its node in the graph. The arms that are entered within a step have those behind
//! them. An enum would be read better, and takes rustc as long as loading and saving the locals of a state: what
//! an arm is for is in its doc comment.

use proc_macro2::{Literal, TokenStream};

use super::Machine;
use super::add::add;
use crate::ir::BlockId;
use crate::layout::{State, is_entered_within};

/// The number of a state.
pub(super) fn of_state(machine: &Machine<'_>, state: &State) -> Literal {
    let mut states = machine.layout.states.iter();
    number(states.position(|other| (other.region, other.point) == (state.region, state.point)))
}

/// The number of the arm of a root that is entered within a step.
pub(super) fn of_root(machine: &Machine<'_>, root: BlockId) -> Literal {
    let Machine { graph, layout, .. } = machine;
    let roots = layout.roots.iter().map(|root| root.block);
    let mut inner = roots.filter(|root| is_entered_within(graph, *root));
    number(inner.position(|other| other == root).map(|index| layout.states.len() + index))
}

fn number(position: Option<usize>) -> Literal {
    Literal::usize_unsuffixed(position.unwrap_or(usize::MAX))
}

/// The pattern of the arm of a state, with what it is and what it keeps. The locals are bytes of the state's
/// frame, because what is generated for each field of each state would take rustc longer than everything else.
pub(super) fn arm(machine: &Machine<'_>, state: &State, out: &mut TokenStream) {
    let number = of_state(machine, state);
    let stored = state.fields.iter().map(|id| &*machine.layout.variable(*id).stored);
    let mut kept: Vec<_> = stored.collect();
    if state.point.is_none() && state.region.is_none() {
        kept.push("arguments");
    }
    let mut doc = format!(" `{}`", state.name);
    if !kept.is_empty() {
        doc += ", which keeps ";
        doc += &kept.join(", ");
    }
    doc.push('.');
    add!(out, #[doc = #doc] #number);
}
