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

use super::printer::Printer;
use crate::ir::usage::Place;
use crate::ir::{BlockId, Terminator};
use crate::layout::may_move;
use crate::syntax::hygiene::numbered;

impl Printer<'_> {
    /// Copies the parts that the node or end that is being printed moves out, before it.
    pub(super) fn copy_moved_parts(&self) -> TokenStream {
        let copies = self.moved_parts().enumerate().map(|(index, part)| {
            // If it cannot be copied, rustc says so of the part.
            let at = self.machine.graph.locals[part.local].ident.span();
            let at = part.fields.last().map_or(at, |field| at.located_at(field.span()));
            let (place, copy) = (self.place(part).at(Some(at)), numbered("stand_in", index));
            quote_spanned!(at=> let #copy = __piton::stand_in(&#place)?;)
        });
        copies.collect()
    }

    /// Puts the copies in their places, after the node.
    pub(super) fn fill_moved_parts(&self) -> TokenStream {
        self.fill_parts(|_| true)
    }

    /// As [`fill_moved_parts`](Self::fill_moved_parts), where control jumps to a block.
    pub(super) fn fill_moved_parts_for(&self, to: BlockId) -> TokenStream {
        self.fill_parts(|part| self.machine.layout.moved_parts.is_vacant(to, part))
    }

    /// As [`fill_moved_parts`](Self::fill_moved_parts), where an end goes on at a block.
    pub(super) fn fill_moved_parts_after(&self, end: &Terminator, to: BlockId) -> TokenStream {
        match may_move(self.machine.graph, end, to) {
            true => self.fill_moved_parts_for(to),
            false => TokenStream::new(),
        }
    }

    fn fill_parts(&self, is_filled: impl Fn(&Place) -> bool) -> TokenStream {
        let parts = self.moved_parts().enumerate().filter(|(_, part)| is_filled(part));
        let fills = parts.map(|(index, part)| {
            let (place, copy) = (self.place(part), numbered("stand_in", index));
            quote!(#place = #copy;)
        });
        fills.collect()
    }

    fn moved_parts(&self) -> impl Iterator<Item = &Place> {
        self.machine.layout.moved_parts_at.get(&self.at.get()).into_iter().flatten()
    }
}
