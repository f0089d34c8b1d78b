//! Queries of whether partially moved values own their fields.
//!
//! For values that are only consumed, rustc itself reports whether a field can be moved out.

use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned};
use syn::Pat;

use super::field_names;
use super::first_awaits::first_held_at;
use super::idents::names;
use super::machine::Machine;
use super::places::part_of;
use crate::ir::LocalId;
use crate::ir::usage::{Place, bound_locals};
use crate::layout::{Layout, VariableId};
use crate::syntax::hygiene::in_source;

/// The token for the type of a place whose fields are separate variables.
fn token(machine: &Machine<'_>, place: &Place) -> Ident {
    let number = machine.layout.in_parts.iter().take_while(|other| *other < place).count();
    in_source(&format!("o{number}"), machine.graph.locals[place.local].ident.span())
}

/// The token for the type of a local that may be a borrow and whose fields are moved.
fn spent_token(machine: &Machine<'_>, id: LocalId) -> Ident {
    in_source(&format!("p{}", id.0), machine.graph.locals[id].ident.span())
}

/// The declarations of the tokens that occur in `run`, and the queries.
pub(super) fn checks(machine: &Machine<'_>, run: &TokenStream) -> (TokenStream, TokenStream) {
    let places = machine.layout.in_parts.iter();
    let owners = places.map(|place| (place.local, token(machine, place)));
    let owners = owners.filter(|(_, token)| names(run, token));
    let (mut declare, mut check) = (TokenStream::new(), TokenStream::new());
    for (id, token) in owners {
        let is_part = |held: &VariableId| machine.layout.variable(*held).place.local == id;
        let span = token.span();
        let at = first_held_at(machine, is_part)
            .unwrap_or_else(|| machine.graph.locals[id].ident.span());
        let function = Ident::new("part_held_across_this_await", at);
        declare.extend(quote!(let #token = __piton::TypeOf::new();));
        let ask = quote_spanned!(span=> #function(&#token, #token.piton_parts()););
        check.extend(quote_spanned! {at=> {
            fn #function<T, P: __piton::HeldByParts<T>>(_: &__piton::TypeOf<T>, _: P) {}
            #ask
        }});
    }
    for (id, parts) in &machine.layout.spent_parts {
        let token = spent_token(machine, *id);
        if !names(run, &token) {
            continue;
        }
        declare.extend(quote!(let #token = __piton::TypeOf::new();));
        let ident = &machine.graph.locals[*id].ident;
        for (place, part) in parts {
            let is_apart = |other: &&Place| other.holds(place) && *other != place;
            if !parts.keys().any(|other| is_apart(&other)) {
                check.extend(quote!({ let #ident = (&#token).value(); let _moved = #part; }));
            }
        }
    }
    if !check.is_empty() {
        check = quote!(if false { use __piton::Parts as _; #check });
    }
    (declare, check)
}

/// Ties the tokens to the types of the locals that a pattern binds.
pub(super) fn tie_owners(machine: &Machine<'_>, pat: &Pat) -> TokenStream {
    let Layout { in_parts, spent_parts, saved_in_parts, .. } = machine.layout;
    if in_parts.is_empty() && spent_parts.is_empty() && saved_in_parts.is_empty() {
        return TokenStream::new();
    }
    let locals = &machine.graph.locals;
    let bound = bound_locals(locals, pat).into_iter();
    bound.map(|id| tie_owner(machine, id, &locals[id].ident)).collect()
}

/// As [`tie_owners`], for the value of one local.
pub(super) fn tie_owner(machine: &Machine<'_>, id: LocalId, value: &Ident) -> TokenStream {
    let places = machine.layout.in_parts.iter().filter(|place| place.local == id);
    let asked = places.map(|place| {
        let token = token(machine, place);
        let value = part_of(value, &place.fields);
        quote!((&#token).is_of(&#value);)
    });
    // After `loop {}`, rustc infers the type without a borrow of the value.
    let spent = machine.layout.spent_parts.contains_key(&id).then(|| {
        let token = spent_token(machine, id);
        quote!(if false { loop {} (&#token).is_of(&#value); })
    });
    let named = field_names::ask(machine, id, value);
    asked.chain(spent).chain(named).collect()
}
