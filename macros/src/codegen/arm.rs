//! The segment that an arm of the step function is printed for, and where its variables are.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, Lifetime};

use super::idents;
use super::machine::Machine;
use super::variables::step_label;
use crate::ir::usage::{Place, Usage};
use crate::ir::{Block, BlockId, BlockKind, Local, LocalId, RegionId, span_ends};
use crate::layout::{Segment, VariableId, scope_path};
use crate::syntax::macros::scan_names;

/// The printed segment and its machine.
#[derive(Clone, Copy)]
pub(super) struct Arm<'a> {
    pub(super) machine: &'a Machine<'a>,
    pub(super) segment: &'a Segment,
}

/// Where the value of a variable is while an arm runs. See [`Segment::keeps`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Whereabouts {
    /// In a variable of the arm.
    Here,
    /// Encoded in the state that the arm resumes, at this position.
    Parked(usize),
    /// In its slot.
    Slot,
}

/// The variable for the borrow of a loop, and the expression that makes it.
pub(super) fn loop_borrow(position: &Local) -> Option<(Ident, &Expr)> {
    let expr = position.loop_borrow.as_ref()?;
    let span = position.ident.span().located_at(expr.span());
    Some((format_ident!("{}_lent", position.ident, span = span), expr))
}

impl<'a> Arm<'a> {
    /// The block that the segment begins with.
    pub(super) fn block(self) -> &'a Block {
        &self.machine.graph[self.segment.block]
    }

    /// The label that a step without a return value breaks to.
    pub(super) fn leave(self) -> Lifetime {
        step_label(self.block().region)
    }

    /// Whether the arm steps regions that use its locals.
    pub(super) fn lends_to_regions(self) -> bool {
        !self.segment.used_by_regions.is_empty()
    }

    /// Whether regions use a part of a local of the arm. A region that has taken the local over has variables of its own
    /// for the parts.
    pub(super) fn lends_part_to_regions(self, part: &Place) -> bool {
        let Machine { graph, layout, .. } = self.machine;
        let BlockKind::Resume(point) = self.block().kind else { return false };
        let has_own = |region: &RegionId| {
            let segment = layout.segment(graph[*region].entry);
            segment.is_some_and(|segment| {
                let mut own = segment.entry.iter().chain(&segment.unfilled);
                own.any(|id| layout.variable(*id).place.local == part.local)
            })
        };
        let regions: Vec<_> = graph.regions_of(point).filter(|region| !has_own(region)).collect();
        let is_inside =
            |block: &&Block| regions.iter().any(|region| graph.is_within(block.region, *region));
        let inside = graph.blocks.iter().filter(is_inside);
        let mut usages = inside.flat_map(|block| block.all_usages());
        self.segment.used_by_regions.contains(&part.local)
            && usages.any(|usage| {
                usage
                    .reads
                    .iter()
                    .chain(&usage.maybe_assigned_parts)
                    .any(|place| place.overlaps(part))
            })
    }

    /// The locals in scope where the segment begins, in the order of their declarations. Locals that a region has taken
    /// over are declared outside of it.
    pub(super) fn declared_in_order(self) -> impl Iterator<Item = LocalId> + 'a {
        let graph = self.machine.graph;
        let scopes = scope_path(graph, self.block().scope);
        scopes.into_iter().flat_map(|scope| graph.scopes[scope.0].locals.iter().copied())
    }

    /// The position of a variable in the state that the segment resumes.
    pub(super) fn position(self, id: VariableId) -> Option<usize> {
        self.segment.entry.iter().position(|entry| *entry == id)
    }

    /// Where a variable is that another segment needs.
    pub(super) fn whereabouts(self, id: VariableId) -> Whereabouts {
        if !self.segment.keeps(id) {
            return Whereabouts::Here;
        }
        let is_resumed = matches!(self.block().kind, BlockKind::Resume(_));
        match self.position(id) {
            Some(position) if is_resumed => Whereabouts::Parked(position),
            _ => Whereabouts::Slot,
        }
    }

    /// Uses the borrows that are still held in the segment of `to`, so that rustc sees them live up to the jump.
    pub(super) fn hold(self, to: BlockId) -> TokenStream {
        let held = self.segment.held.get(&to).into_iter().flatten();
        held.map(|local| {
            let local = &self.machine.graph.locals[*local];
            let ident = loop_borrow(local).map_or_else(|| local.ident.clone(), |(ident, _)| ident);
            quote_spanned!(ident.span()=> let _ = &#ident;)
        })
        .collect()
    }

    /// The span of a use behind the jump to `to`, if this segment may have moved the variable: rustc then reports the
    /// use of a moved value there.
    pub(super) fn missed_at(self, id: VariableId, to: BlockId) -> Option<Span> {
        let Machine { graph, layout, .. } = self.machine;
        let place = &layout.variable(id).place;
        let is_spent = |usage: &Usage| usage.moved.iter().any(|spent| spent.overlaps(place));
        let is_here = |id: &BlockId| layout.segment_of[id.0] == self.segment.block;
        let mut here = graph.block_ids().filter(is_here);
        if !here.any(|id| graph[id].all_usages().any(is_spent)) {
            return None;
        }
        let ident = &graph.locals[place.local].ident;
        let named_in = |id: BlockId| {
            let block = &graph[id];
            if !block.all_usages().any(|usage| usage.mentions.contains(&place.local)) {
                return None;
            }
            block.code().iter().find_map(|code| named(code, ident))
        };
        let is_head = |id: &BlockId| *id <= to && graph[*id].kind == BlockKind::Head;
        let again = graph.block_ids().rev().filter(is_head);
        [to].into_iter()
            .chain(again)
            .find_map(|from| graph.block_ids().filter(|id| *id >= from).find_map(named_in))
    }
}

/// The span of the first use of a variable in code; the start of the code if a format string contains the use.
fn named(code: &TokenStream, ident: &Ident) -> Option<Span> {
    let in_macro = || {
        let mut is_found = false;
        scan_names(code, &mut |name| is_found |= ident == name);
        is_found.then(|| span_ends(code.clone()).0)
    };
    idents::find(code, ident).map(|found| found.span()).or_else(in_macro)
}
