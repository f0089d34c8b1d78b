//! Variables that rustc would report as unused because generated variables are used instead.

use proc_macro2::TokenStream;
use syn::Pat;

use super::add;
use super::add::add;
use super::printer::Printer;
use crate::ir::LocalId;
use crate::ir::usage::bound_locals;

impl Printer<'_> {
    /// Looks at what a pattern has bound, where that is a value that nobody else sees.
    pub(super) fn see(&self, pat: &Pat) -> TokenStream {
        self.see_those(pat, |_| true)
    }

    /// As [`see`](Self::see), of borrows that only `async` blocks make again, as far as none of the others is made
    /// of them. Lets rustc know that what other segments make again is of the same type there.
    pub(super) fn see_lent(&self, pats: &[&Pat]) -> TokenStream {
        let graph = self.machine.graph;
        let locals = &graph.locals;
        let bound: Vec<_> = pats.iter().flat_map(|pat| bound_locals(locals, pat)).collect();
        if bound.is_empty() {
            return TokenStream::new();
        }
        let is_held = |id: LocalId| self.segment.held.values().flatten().any(|held| *held == id);
        let is_seen = |id: LocalId| {
            let mut others = bound.iter().filter(|other| **other != id);
            others.any(|other| graph.made_of(*other).contains(&id))
        };
        let is_wanted = |id| locals[id].is_rematerialized() && !is_held(id) && !is_seen(id);
        let mut out: TokenStream = pats.iter().map(|pat| self.see_those(pat, is_wanted)).collect();
        add::made(&mut out, self.tie_again(bound.iter().copied()));
        out
    }

    fn see_those(&self, pat: &Pat, is_wanted: impl Fn(LocalId) -> bool) -> TokenStream {
        let (idle, ask) = (&self.segment.idle, self.ask_whose_parts(pat));
        if idle.is_empty() {
            return ask;
        }
        let locals = &self.machine.graph.locals;
        let seen = bound_locals(locals, pat).into_iter();
        let seen = seen.filter(|id| idle.contains(id) && is_wanted(*id));
        let mut looks = TokenStream::new();
        let out = &mut looks;
        for ident in seen.map(|id| &locals[id].ident) {
            add!(out, let _ = &#ident;);
        }
        add::made(out, ask);
        looks
    }
}
