//! Queries of serde's names for the fields of saved parts.
//!
//! A run whose local was saved in parts may continue in code that saves the whole, and the other way around. The
//! parts are named after the fields in the source, and a saved struct has serde's names.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::Machine;
use super::idents::names;
use super::places::fields_of;
use super::variables::context;
use crate::ir::LocalId;
use crate::syntax::hygiene::in_source;

/// The token of the type of what is saved in parts.
fn token(machine: &Machine<'_>, id: LocalId) -> Ident {
    in_source(&format!("w{}", id.0), machine.graph.locals[id].ident.span())
}

/// Tells of which type a value is whose parts are saved.
pub(super) fn ask(machine: &Machine<'_>, id: LocalId, value: &Ident) -> Option<TokenStream> {
    machine.layout.saved_in_parts.contains(&id).then(|| {
        let token = token(machine, id);
        // It must not be borrowed for this.
        quote!(if false { loop {} (&#token).is_of(&#value); })
    })
}

/// The tokens of which `run` tells the types, and what asks them.
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
            // Of a field that is not there rustc says the same as of the source, and so says it once.
            let (saved, path) = (&variable.stored, fields_of(&variable.place.fields));
            ask.extend(quote!(#token.name_part(#cx, #saved, |#ident| &(*#ident)#path);));
        }
    }
    if !ask.is_empty() {
        ask = quote!({ use __piton::FieldNames as _; #ask });
    }
    (declare, ask)
}
