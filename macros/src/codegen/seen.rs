//! Variables of which rustc would say that nobody uses them, because others do.

use proc_macro2::TokenStream;
use quote::quote;
use syn::Pat;

use super::print::Printer;
use crate::ir::LocalId;
use crate::usage::bound_locals;

impl Printer<'_> {
    /// Looks at what a pattern has bound, where that is a value that nobody else sees.
    pub(super) fn see(&self, pat: &Pat) -> TokenStream {
        if self.root.idle.is_empty() {
            return TokenStream::new();
        }
        let locals = &self.machine.graph.locals;
        let idle = bound_locals(locals, pat).into_iter().filter(|id| self.root.idle.contains(id));
        let idents = idle.map(|id| &locals[id].ident);
        quote!(#(let _ = &#idents;)*)
    }

    /// As [`see`](Self::see), of borrows that only `async` blocks make again.
    pub(super) fn see_lent(&self, pat: &Pat) -> TokenStream {
        let locals = &self.machine.graph.locals;
        let is_held = |id: &LocalId| self.root.held.values().flatten().any(|held| held == id);
        let idle = bound_locals(locals, pat).into_iter().filter(|id| {
            self.root.idle.contains(id) && locals[*id].remade.is_some() && !is_held(id)
        });
        let idents = idle.map(|id| &locals[id].ident);
        quote!(#(let _ = &#idents;)*)
    }
}
