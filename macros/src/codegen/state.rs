//! The numbers of states and arms.
//!
//! A state has the index of its node in the graph. Arms to which others jump have the numbers after that. An enum would
//! be more readable, but takes rustc as long as loading and saving the locals of a state. The doc comment of an arm
//! explains it.

use proc_macro2::{Literal, TokenStream};
use quote::ToTokens;

use super::add::add;
use super::machine::Machine;
use super::state;
use super::variables::machine_label;
use crate::ir::BlockId;
use crate::layout::State;
use crate::syntax::hygiene::written;

/// The number of the arm that begins with a block.
pub(super) fn number(machine: &Machine<'_>, block: BlockId) -> Literal {
    Literal::usize_unsuffixed(machine.layout.numbers[block.0])
}

/// The pattern of the arm of a state, with an explanation if people read it. The locals are in the bytes of the frame,
/// and not fields of a variant, whose code would take rustc longer than everything else.
pub(super) fn arm(machine: &Machine<'_>, state: &State, out: &mut TokenStream) {
    let number = number(machine, state.block);
    if !machine.explains {
        number.to_tokens(out);
        return;
    }
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

/// Jumps to the arm of a segment, whose slots have been filled or whose state has been written.
pub(super) fn jump(machine: &Machine<'_>, out: &mut TokenStream, segment: BlockId) {
    let (label, variable) =
        (machine_label(machine.graph[segment].region), written("__piton_state"));
    let number = state::number(machine, segment);
    add!(out, #variable = #number; continue #label;);
}
