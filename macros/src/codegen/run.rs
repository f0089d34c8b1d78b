//! The loop over the states of a machine: of the function or of a region.
//!
//! ```text
//! in   the segments of one owner
//! out  'step: { let mut state = begin; 'machine: loop { match state { 0 => { … } 1 => { … } } } }
//! ```

use proc_macro2::{Delimiter, Group, Literal, Span, TokenStream};
use quote::quote;

use super::add::{Piece, add};
use super::arm::Arm;
use super::machine::Machine;
use super::printer::Printer;
use super::variables::{
    Owner, arms_label, machine_label, made, parked, slot, step_label, taken_over,
};
use super::waits::wait_at;
use super::{idents, variables};
use crate::ir::{BlockId, Branch, RegionId};
use crate::layout::{VariableId, is_entered_within};
use crate::syntax::hygiene::written;

/// The segments that other segments jump to.
fn inner_segments<'a>(
    machine: &'a Machine<'_>,
    owner: Owner,
) -> impl Iterator<Item = BlockId> + 'a {
    let graph = machine.graph;
    let segments = machine.layout.segments.iter().map(|segment| segment.block);
    segments.filter(move |segment| {
        graph[*segment].region == owner && is_entered_within(graph, *segment)
    })
}

/// Whether a step can jump from arm to arm.
pub(super) fn is_loop(machine: &Machine<'_>, owner: Owner) -> bool {
    let mut points = machine.layout.states_of(owner).filter_map(|state| state.point);
    inner_segments(machine, owner).next().is_some()
        || points.any(|point| machine.graph.has_regions(point))
}

/// The code of a step, which starts in the state that `begin` returns.
pub(super) fn run(machine: &Machine<'_>, owner: Owner, begin: &TokenStream) -> TokenStream {
    let layout = machine.layout;
    let parked = parked();
    let slots = Piece(|out: &mut TokenStream| {
        for (index, variable) in layout.variables.iter().enumerate() {
            let id = VariableId(index);
            if variable.passed_in.contains(&owner) {
                let slot = slot(id);
                add!(out, let mut #slot = __piton::Slot::Empty;);
            }
        }
    });
    let made = declare_made(machine, owner);
    let segments =
        layout.segments.iter().filter(|segment| machine.graph[segment.block].region == owner);
    let mut arms = TokenStream::new();
    segments.for_each(|segment| Printer::new(Arm { machine, segment }).arm(&mut arms));
    // The arms of a region that never ends do not use the token of its value.
    let token = owner.map(variables::value_token).filter(|token| idents::names(&arms, token));
    let token = token.map(|token| quote!(let #token = __piton::TypeOf::new();));
    let (step_label, state) = (step_label(owner), written("__piton_state"));
    // The states of regions, and of a machine around, belong to other loops.
    let out = &mut arms;
    add!(out, _ => return __piton::Parked::unknown(#parked),);
    let arms = Group::new(Delimiter::Brace, arms);
    let run = Piece(|out: &mut TokenStream| {
        let is_loop = is_loop(machine, owner);
        // A step that only describes the machine starts in no state. The code after the block describes, too.
        if owner.is_none() || !is_loop {
            // This ends a basic block: LLVM takes three times as long for code in that of the `match`.
            let nowhere = Literal::u32_unsuffixed(u32::MAX);
            add!(out, if #state == #nowhere { break #step_label; });
        }
        if is_loop {
            let (label, arms_label) = (machine_label(owner), arms_label());
            // The block has the span of the body, so that rustc does not mention this loop in errors about moves.
            let source = machine.function.body.brace_token.span.join();
            let mut block = Group::new(Delimiter::Brace, quote!(match #state #arms));
            block.set_span(Span::mixed_site().located_at(source));
            add!(out, #label: loop { #arms_label: #block });
        } else {
            add!(out, match #state #arms);
        }
    });
    quote! {
        #slots
        #made
        #token
        // All states leave by this call, because each call is code.
        #step_label: {
            let mut #state = #begin;
            #run
        }
        #parked.leave()
    }
}

/// Declares the variables with which branches begin.
fn declare_made(machine: &Machine<'_>, owner: Option<RegionId>) -> TokenStream {
    let mut out = TokenStream::new();
    for point in machine.layout.states_of(owner).filter_map(|state| state.point) {
        let wait = wait_at(machine.graph, point).filter(|_| machine.graph.has_regions(point));
        for (index, (_, branch)) in wait.into_iter().flat_map(|wait| wait.branches).enumerate() {
            let made = made(point, index);
            match branch {
                Branch::Operation(_) => {
                    out.extend(quote!(let mut #made = __piton::None;));
                }
                Branch::Region(region) => {
                    out.extend(quote!(let mut #made = false;));
                    let segment = machine.layout.segment(machine.graph[*region].entry);
                    for id in segment.into_iter().flat_map(|segment| &segment.entry) {
                        let given = taken_over(*region, *id);
                        out.extend(quote!(let mut #given = __piton::Handed(__piton::None);));
                    }
                }
            }
        }
    }
    out
}
