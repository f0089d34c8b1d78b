//! Queries of serde's names for the fields of saved parts.
//!
//! A run whose local was saved in parts may continue in code that saves the whole, and the other way around. The
//! parts are named after the fields in the source, and a saved struct has serde's names.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::idents::names;
use super::machine::Machine;
use super::places::fields_of;
use super::variables::context;
use crate::ir::LocalId;
use crate::syntax::hygiene::in_source;

/// The token for the type of a local that is saved in parts.
fn token(machine: &Machine<'_>, id: LocalId) -> Ident {
    in_source(&format!("w{}", id.0), machine.graph.locals[id].ident.span())
}

/// Ties the token of a local that is saved in parts to the type of a value.
pub(super) fn ask(machine: &Machine<'_>, id: LocalId, value: &Ident) -> Option<TokenStream> {
    machine.layout.saved_in_parts.contains(&id).then(|| {
        let token = token(machine, id);
        // After `loop {}`, rustc infers the type without a borrow of the value.
        quote!(if false { loop {} (&#token).is_of(&#value); })
    })
}

/// The declarations of the tokens that occur in `run`, and the queries.
pub(super) fn asked(machine: &Machine<'_>, run: &TokenStream) -> (TokenStream, TokenStream) {
    let (mut declare, mut ask) = (TokenStream::new(), TokenStream::new());
    for id in &machine.layout.saved_in_parts {
        let token = token(machine, *id);
        if !names(run, &token) {
            continue;
        }
        declare.extend(quote!(let #token = __piton::TypeOf::new();));
        let (ident, cx) = (&machine.graph.locals[*id].ident, context());
        let variables = machine.layout.variables.iter();
        let parts = variables.filter(|it| it.is_saved && it.place.local == *id);
        for variable in parts.filter(|it| !it.place.fields.is_empty()) {
            // A span in the source, so that rustc reports an unknown field only once.
            let (saved, path) = (&variable.stored, fields_of(&variable.place.fields));
            ask.extend(quote!(#token.name_part(#cx, #saved, |#ident| &(*#ident)#path);));
        }
    }
    if !ask.is_empty() {
        ask = quote!({ use __piton::FieldNames as _; #ask });
    }
    (declare, ask)
}
