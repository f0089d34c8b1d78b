//! Variables of which rustc would say that nobody uses them, because others do.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::Pat;

use super::print::Printer;
use super::{exit, tokens};
use crate::ir::LocalId;
use crate::usage::bound_locals;

impl Printer<'_> {
    /// Looks at what a pattern has bound, where that is a value that nobody else sees.
    pub(super) fn see(&self, pat: &Pat) -> TokenStream {
        let (see, ask) = (self.see_those(pat, |_| true), self.ask_whose_parts(pat));
        quote!(#see #ask)
    }

    /// As [`see`](Self::see), of borrows that only `async` blocks make again.
    pub(super) fn see_lent(&self, pat: &Pat) -> TokenStream {
        let is_remade = |id: LocalId| self.machine.graph.locals[id].remade.is_some();
        let is_held = |id: LocalId| self.root.held.values().flatten().any(|held| *held == id);
        let see = self.see_those(pat, |id| is_remade(id) && !is_held(id));
        let ask = self.ask_whose_parts(pat);
        quote!(#see #ask)
    }

    /// Tells of which type the values are that have been bound and are held by their parts.
    pub(super) fn ask_whose_parts(&self, pat: &Pat) -> TokenStream {
        if self.machine.layout.in_parts.is_empty() {
            return TokenStream::new();
        }
        let locals = &self.machine.graph.locals;
        let bound = bound_locals(locals, pat).into_iter();
        bound.map(|id| self.ask_whose_parts_of(id, &locals[id].ident)).collect()
    }

    /// As [`ask_whose_parts`](Self::ask_whose_parts), of what is to be the value of a local.
    pub(super) fn ask_whose_parts_of(&self, id: LocalId, value: &Ident) -> TokenStream {
        let places = self.machine.layout.in_parts.iter().filter(|place| place.local == id);
        let asked = places.map(|place| {
            let token = tokens::parts_token(self.machine, place);
            let value = exit::part_of(value, &place.fields);
            quote!(#token.is_of(&#value);)
        });
        asked.collect()
    }

    fn see_those(&self, pat: &Pat, is_wanted: impl Fn(LocalId) -> bool) -> TokenStream {
        let idle = &self.root.idle;
        if idle.is_empty() {
            return TokenStream::new();
        }
        let locals = &self.machine.graph.locals;
        let seen = bound_locals(locals, pat).into_iter();
        let seen = seen.filter(|id| idle.contains(id) && is_wanted(*id));
        let idents = seen.map(|id| &locals[id].ident);
        quote!(#(let _ = &#idents;)*)
    }
}
