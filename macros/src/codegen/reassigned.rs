//! Locals with parts in separate variables that are assigned as a whole.
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

use super::printer::Printer;
use crate::collections::sets::Set;
use crate::ir::usage::{Place, Usage};
use crate::ir::{BlockId, LocalId};

impl Printer<'_> {
    /// The parts of a local that are variables of their own where code is being printed.
    pub(super) fn parts_of(&self, local: LocalId) -> impl Iterator<Item = &(Place, Ident)> {
        let is_whole = self.whole.borrow().contains(&local);
        self.parts.iter().filter(move |(part, _)| part.local == local && !is_whole)
    }

    /// Follows the assignment of a local as a whole.
    pub(super) fn make_whole(&self, local: LocalId) -> TokenStream {
        if !self.segment.declared.contains(&local) {
            return TokenStream::new();
        }
        let variables: Vec<_> = self.parts_of(local).cloned().collect();
        if !variables.is_empty() {
            self.whole.borrow_mut().insert(local);
            self.moved.borrow_mut().retain(|part| part.local != local);
        }
        let parts = variables.into_iter().map(|(part, ident)| {
            let place = self.place(&part);
            quote!(#ident = #place; #place = #ident;)
        });
        parts.collect()
    }

    /// Ends a block: takes those locals apart again that have been made whole in it.
    pub(super) fn take_apart(&self, before: &Set<LocalId>) -> TokenStream {
        let parts = self.parts_made_since(before);
        self.whole.borrow_mut().clone_from(before);
        parts
    }

    /// As [`take_apart`](Self::take_apart), before `merge`: what has been moved out and is filled there
    /// before it is read is left out.
    pub(super) fn take_apart_for(&self, before: &Set<LocalId>, merge: BlockId) -> TokenStream {
        let moved_parts = &self.machine.layout.moved_parts;
        let moved = self.moved.borrow();
        let is_gone = |part: &Place| moved.contains(part) && moved_parts.is_vacant(merge, part);
        let parts = self.parts_made(before, is_gone);
        self.whole.borrow_mut().clone_from(before);
        parts
    }

    /// Takes those locals apart again that have been made whole since then.
    pub(super) fn parts_made_since(&self, before: &Set<LocalId>) -> TokenStream {
        self.parts_made(before, |_| false)
    }

    fn parts_made(&self, before: &Set<LocalId>, is_gone: impl Fn(&Place) -> bool) -> TokenStream {
        let whole = self.whole.borrow();
        let made = self.parts.iter().filter(|(part, _)| {
            whole.contains(&part.local) && !before.contains(&part.local) && !is_gone(part)
        });
        let parts = made.map(|(part, ident)| {
            let place = self.place(part);
            quote!(#ident = #place;)
        });
        parts.collect()
    }

    /// Notes what a node moves out of locals that have been made whole before it.
    pub(super) fn note_moved(&self, usage: &Usage) {
        let whole = self.whole.borrow();
        let is_moved = |part: &Place| {
            whole.contains(&part.local)
                && !usage.assigned.contains(&part.local)
                && usage.moves.iter().any(|moved| moved.overlaps(part))
        };
        let moved = self.parts.iter().map(|(part, _)| part).filter(|part| is_moved(part));
        self.moved.borrow_mut().extend(moved.cloned());
    }
}
