//! `#[derive(Update)]`: the stored name of a request to runs, and the types of its answers.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::parse::ParseStream;
use syn::{DeriveInput, Token, Type};

use crate::derives::sent_type::{Sent, derive};
use crate::diagnostics::Diagnostics;
use crate::frontend::args::CRATE;

const UPDATE: Sent = Sent {
    word: "update",
    one: "an update",
    options: &[
        ("name", "name = \"cart.add\""),
        ("reply", "reply = Money"),
        ("error", "error = OutOfStock"),
        CRATE,
    ],
    example: "#[update(reply = Money)]",
};

/// Implements `Update` for `item`.
pub(crate) fn expand(item: TokenStream, diagnostics: Diagnostics) -> TokenStream {
    derive(item, diagnostics, implementation)
}

fn implementation(input: &DeriveInput, diagnostics: &Diagnostics) -> TokenStream {
    let ident = &input.ident;
    let (mut reply, mut error) = (None, None);
    let name = UPDATE.options(ident, &input.attrs, diagnostics, |key, input| {
        let ty = Some(parse_type(input)?);
        if key == "reply" {
            reply = ty
        } else {
            error = ty
        }
        Ok(())
    });
    if !UPDATE.check(input, diagnostics) {
        return TokenStream::new();
    }
    let reply = reply.map_or_else(|| quote!(()), ToTokens::into_token_stream);
    let error = error.map_or_else(|| quote!(::piton::machine::Never), ToTokens::into_token_stream);
    // The span makes rustc point at the type's name if it cannot be stored.
    quote_spanned! {ident.span()=>
        impl ::piton::machine::Update for #ident {
            const NAME: &'static str = #name;
            type Reply = #reply;
            type Error = #error;
        }
    }
}

/// Parses `= Money`.
fn parse_type(input: ParseStream) -> syn::Result<Type> {
    input.parse::<Token![=]>()?;
    input.parse()
}
