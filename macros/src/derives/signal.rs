//! `#[derive(Signal)]`: the stored name of a type whose values are sent to runs.

use proc_macro2::TokenStream;
use quote::quote_spanned;
use syn::DeriveInput;

use crate::derives::sent_type::{Sent, derive};
use crate::diagnostics::Diagnostics;
use crate::frontend::args::CRATE;

const SIGNAL: Sent = Sent {
    word: "signal",
    one: "a signal",
    options: &[("name", "name = \"order.approved\""), CRATE],
    example: "#[signal(name = \"…\")]",
};

/// Implements `Signal` for `item`.
pub(crate) fn expand(item: TokenStream, diagnostics: Diagnostics) -> TokenStream {
    derive(item, diagnostics, implementation)
}

fn implementation(input: &DeriveInput, diagnostics: &Diagnostics) -> TokenStream {
    let ident = &input.ident;
    // There are no further options.
    let name = SIGNAL.options(ident, &input.attrs, diagnostics, |_, _| Ok(()));
    if !SIGNAL.check(input, diagnostics) {
        return TokenStream::new();
    }
    // The span makes rustc point at the type's name if it cannot be stored.
    quote_spanned! {ident.span()=>
        impl ::piton::machine::Signal for #ident {
            const NAME: &'static str = #name;
        }
    }
}
