//! Copies in place of parts that are moved out of locals which are saved as a whole. See [`crate::layout`].
//!
//! ```text
//! order.lines = ship(order.lines).await;
//! // becomes
//! let copy = stand_in(&order.lines)?;
//! suspend(ship(order.lines));  order.lines = copy;  save(&order);
//! // and after the await
//! order.lines = value;
//! ```

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};

use super::machine::Machine;
use super::split_locals::SplitLocals;
use crate::ir::usage::Place;
use crate::ir::{BlockId, Terminator};
use crate::layout::may_move;
use crate::syntax::hygiene::numbered;

/// The parts that a node, or the end of a block, moves out and that are copied before.
#[derive(Clone, Copy)]
pub(super) struct Copies<'a> {
    machine: &'a Machine<'a>,
    parts: &'a [Place],
}

impl<'a> Copies<'a> {
    /// Those of a node of a block; the end comes after the last node.
    pub(super) fn at(machine: &'a Machine<'a>, block: BlockId, node: usize) -> Self {
        let parts = machine.layout.moved_parts_at.get(&(block, node));
        Self { machine, parts: parts.map_or(&[], Vec::as_slice) }
    }

    /// Makes the copies, before the node.
    pub(super) fn make(self, split: &SplitLocals<'_>) -> TokenStream {
        let copies = self.parts.iter().enumerate().map(|(index, part)| {
            // rustc reports a part that cannot be copied at the part.
            let at = self.machine.graph.locals[part.local].ident.span();
            let at = part.fields.last().map_or(at, |field| at.located_at(field.span()));
            let (place, copy) = (split.place(part).at(Some(at)), numbered("stand_in", index));
            quote_spanned!(at=> let #copy = __piton::stand_in(&#place)?;)
        });
        copies.collect()
    }

    /// Moves the copies to the places of the parts, after the node.
    pub(super) fn fill(self, split: &SplitLocals<'_>) -> TokenStream {
        self.fill_those(split, |_| true)
    }

    /// As [`fill`](Self::fill), where control jumps to a block.
    pub(super) fn fill_for(self, split: &SplitLocals<'_>, to: BlockId) -> TokenStream {
        self.fill_those(split, |part| self.machine.layout.moved_parts.is_vacant(to, part))
    }

    /// As [`fill`](Self::fill), at the start of a successor of a block with this end.
    pub(super) fn fill_after(
        self,
        split: &SplitLocals<'_>,
        end: &Terminator,
        to: BlockId,
    ) -> TokenStream {
        match may_move(self.machine.graph, end, to) {
            true => self.fill_for(split, to),
            false => TokenStream::new(),
        }
    }

    fn fill_those(
        self,
        split: &SplitLocals<'_>,
        is_filled: impl Fn(&Place) -> bool,
    ) -> TokenStream {
        let parts = self.parts.iter().enumerate().filter(|(_, part)| is_filled(part));
        let fills = parts.map(|(index, part)| {
            let (place, copy) = (split.place(part), numbered("stand_in", index));
            quote!(#place = #copy;)
        });
        fills.collect()
    }
}
