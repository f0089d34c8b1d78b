//! Parts of locals that are separate variables in an arm.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};

use super::braces::Braces;
use super::idents::names;
use super::printer::Printer;
use super::type_ties::tied;
use super::variables::part_token;
use crate::ir::usage::{Place, Usage};
use crate::ir::{Block, BlockKind, RegionId, ScopeId};
use crate::layout::{Segment, VariableId};

impl Printer<'_> {
    /// The parts that it is not given and does not leave to other segments, or rustc could not tell their
    /// types.
    pub(super) fn filled(&self, open: &[ScopeId]) -> Vec<VariableId> {
        let Segment { block, unfilled, .. } = self.segment;
        if unfilled.is_empty() {
            return Vec::new();
        }
        let mut braces = Braces::default();
        open.iter().for_each(|scope| braces.open(*scope));
        self.chain(*block, &mut braces);
        let code = braces.finish().stream();
        let is_filled = |id: &VariableId| {
            let variable = self.machine.layout.variable(*id);
            self.is_used_by_regions(&variable.place) || names(&code, &variable.ident)
        };
        unfilled.iter().copied().filter(is_filled).collect()
    }

    /// Declares a part that the segment is to fill. Its type is that of the part which has been moved out.
    pub(super) fn declare_part(&self, id: VariableId) -> TokenStream {
        let (ident, token) = (&self.machine.layout.variable(id).ident, part_token(id));
        let tied = tied(ident, &token);
        let declare = quote_spanned!(ident.span()=> let mut #ident;);
        quote!(#[allow(unused_variables)] #declare #tied)
    }

    /// Tells the types of the parts that code is about to move out and another segment is to fill.
    pub(super) fn tie_parts(&self, usage: &Usage) -> TokenStream {
        let layout = self.machine.layout;
        if usage.moves.is_empty() {
            return TokenStream::new();
        }
        let tied = layout.filled_later().filter(|id| {
            let part = &layout.variable(*id).place;
            // Of a part that is not whole here there is nothing to tell its type.
            let mut own = self.parts_of(part.local).peekable();
            let is_there = own.peek().is_none() || own.any(|(own, _)| own.holds(part));
            is_there && usage.looks_at(part) && usage.moves.iter().any(|moved| part.holds(moved))
        });
        tied.map(|id| {
            let place = self.place(&layout.variable(id).place);
            let token = part_token(id);
            quote!(if false { (&#token).is_of(&#place); })
        })
        .collect()
    }

    /// Whether the regions use a part of a local from outside that the segment steps. Those that have taken the
    /// local over have parts of their own.
    pub(super) fn is_used_by_regions(&self, part: &Place) -> bool {
        let graph = self.machine.graph;
        let BlockKind::Resume(point) = graph[self.segment.block].kind else { return false };
        let layout = self.machine.layout;
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
                usage.reads.iter().chain(&usage.fills).any(|place| place.overlaps(part))
            })
    }
}
