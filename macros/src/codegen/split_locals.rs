//! Locals that are split into one variable per part, because some parts are moved out.
//!
//! Such a local may be assigned as a whole:
//!
//! ```text
//! order = make();    →  order = make(); part = order.lines; order.lines = part;
//! ```
//!
//! The assignment drops the old part, as in the source, and from there on the local is whole until the end of the
//! block. There the parts become variables again, because the following block may be entered from elsewhere, except
//! parts that were moved out and are assigned before they are read.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::arm::Arm;
use super::machine::Machine;
use super::places::{PartOf, part_of};
use crate::collections::sets::Set;
use crate::ir::usage::{Place, Usage};
use crate::ir::{BlockId, BlockKind, LocalId};
use crate::layout::Segment;

/// The split locals of an arm, at the node that is being printed.
pub(super) struct SplitLocals<'a> {
    arm: Arm<'a>,
    /// The parts, each with its variable.
    parts: Vec<(Place, Ident)>,
    /// The locals that are whole again since their assignment.
    whole: Set<LocalId>,
    /// The parts that have been moved out of them since.
    moved: Set<Place>,
}

impl<'a> SplitLocals<'a> {
    /// Those at the beginning of the arm.
    pub(super) fn of(arm: Arm<'a>) -> Self {
        let parts = parts_in(arm.machine, arm.segment);
        Self { arm, parts, whole: Set::new(), moved: Set::new() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// The locals that are whole again.
    pub(super) fn whole(&self) -> &Set<LocalId> {
        &self.whole
    }

    /// The parts of a local that are variables here.
    pub(super) fn parts_of(&self, local: LocalId) -> impl Iterator<Item = &(Place, Ident)> {
        let is_whole = self.whole.contains(&local);
        self.parts.iter().filter(move |(part, _)| part.local == local && !is_whole)
    }

    /// The variable for a part.
    pub(super) fn variable(&self, place: &Place) -> Option<&Ident> {
        self.parts_of(place.local).find(|(part, _)| part == place).map(|(_, ident)| ident)
    }

    /// A place as code: a projection of the variable for a part of it, or of the local.
    pub(super) fn place<'p>(&'p self, place: &'p Place) -> PartOf<'p> {
        let part =
            self.parts_of(place.local).find(|(part, _)| place.fields.starts_with(&part.fields));
        let (ident, skip) = match part {
            Some((part, ident)) => (ident, part.fields.len()),
            None => (&self.arm.machine.graph.locals[place.local].ident, 0),
        };
        part_of(ident, &place.fields[skip..])
    }

    /// Makes a local whole, after code that assigns it as a whole.
    pub(super) fn make_whole(&mut self, local: LocalId) -> TokenStream {
        if !self.arm.segment.declared.contains(&local) {
            return TokenStream::new();
        }
        let variables: Vec<_> = self.parts_of(local).cloned().collect();
        if !variables.is_empty() {
            self.whole.insert(local);
            self.moved.retain(|part| part.local != local);
        }
        let parts = variables.into_iter().map(|(part, ident)| {
            let place = self.place(&part);
            quote!(#ident = #place; #place = #ident;)
        });
        parts.collect()
    }

    /// Splits the locals again that a block has made whole, where it ends; `before` it these were whole.
    pub(super) fn split_again(&mut self, before: Set<LocalId>) -> TokenStream {
        let parts = self.split_since(&before);
        self.whole = before;
        parts
    }

    /// As [`split_again`](Self::split_again), before `merge`. Leaves out the parts that have been moved out and that
    /// `merge` assigns before it reads them.
    pub(super) fn split_again_for(&mut self, before: Set<LocalId>, merge: BlockId) -> TokenStream {
        let moved_parts = &self.arm.machine.layout.moved_parts;
        let parts = self.assign_parts(&before, |part| {
            self.moved.contains(part) && moved_parts.is_vacant(merge, part)
        });
        self.whole = before;
        parts
    }

    /// The assignments that split the locals again which are whole, but were not `before`.
    pub(super) fn split_since(&self, before: &Set<LocalId>) -> TokenStream {
        self.assign_parts(before, |_| false)
    }

    fn assign_parts(&self, before: &Set<LocalId>, is_gone: impl Fn(&Place) -> bool) -> TokenStream {
        let made = self.parts.iter().filter(|(part, _)| {
            self.whole.contains(&part.local) && !before.contains(&part.local) && !is_gone(part)
        });
        let parts = made.map(|(part, ident)| {
            let place = self.place(part);
            quote!(#ident = #place;)
        });
        parts.collect()
    }

    /// Notes the parts that a node moves out of locals which were whole before it.
    pub(super) fn note_moves(&mut self, usage: &Usage) {
        let is_moved = |part: &Place| {
            self.whole.contains(&part.local)
                && !usage.assigned.contains(&part.local)
                && usage.partial_moves.iter().any(|moved| moved.overlaps(part))
        };
        let moved = self.parts.iter().map(|(part, _)| part).filter(|part| is_moved(part));
        self.moved.extend(moved.cloned());
    }
}

/// The variables for parts in a segment, and in the segment that steps its region.
fn parts_in(machine: &Machine<'_>, segment: &Segment) -> Vec<(Place, Ident)> {
    let Machine { graph, layout, .. } = machine;
    let variables = segment.entry.iter().chain(&segment.unfilled);
    let variables = variables.map(|id| layout.variable(*id));
    let parts = variables.filter(|variable| !variable.place.fields.is_empty());
    let mut parts: Vec<_> = parts.map(|it| (it.place.clone(), it.ident.clone())).collect();
    if let Some(region) = graph[segment.block].region {
        let kind = BlockKind::Resume(graph[region].point);
        let outside = layout.segments.iter().find(|segment| graph[segment.block].kind == kind);
        parts.extend(outside.into_iter().flat_map(|segment| parts_in(machine, segment)));
    }
    parts
}
