//! Queries of whether moved keys are `Copy`.

use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned};

use super::first_awaits::first_held_at;
use super::machine::Machine;
use super::places::part_of;
use super::variables::token;
use crate::verify::lookups::MovedKey;

/// The queries.
pub(super) fn checks(machine: &Machine<'_>) -> TokenStream {
    let mut out = TokenStream::new();
    for MovedKey { found, key, fields } in machine.moved_keys {
        let Some(at) = first_held_at(machine, |held| held == key) else { continue };
        let (function, token) = (Ident::new("looked_up_again_after_this_await", at), token(*key));
        let span = machine.graph.locals[*found].ident.span().resolved_at(at);
        let (part, key) = (Ident::new("part", at), quote_spanned!(span=> _));
        let moved = part_of(&part, fields);
        let borrow = (!fields.is_empty()).then(|| quote!(&));
        out.extend(quote_spanned! {at=> {
            fn #function<K: __piton::KeptKey, T>(_: &__piton::Local<T>, _: fn(&T) -> &K) {}
            #function::<#key, _>(&#token, |#part| #borrow #moved);
        }});
    }
    if out.is_empty() { out } else { quote!(if false { #out }) }
}
