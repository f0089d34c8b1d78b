//! Queries of whether parts that are moved out of locals are `Copy`. See [`crate::layout`].

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};

use super::printer::Printer;
use crate::frontend::method::respan;

impl Printer<'_> {
    /// What asks them of the node or end that is being printed, before it.
    pub(super) fn check_moved_parts(&self) -> TokenStream {
        let parts = self.machine.layout.moved_out.get(&self.at.get()).into_iter().flatten();
        let checks = parts.map(|part| {
            let local = self.machine.graph.locals[part.local].ident.span();
            let at = part.fields.last().map_or(local, |field| local.located_at(field.span()));
            let place = respan(self.place(part).to_token_stream(), at);
            quote_spanned!(at=> __piton::stays_whole(&#place);)
        });
        let checks: TokenStream = checks.collect();
        if checks.is_empty() { checks } else { quote!(if false { #checks }) }
    }
}
