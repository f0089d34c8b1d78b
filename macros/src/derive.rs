//! `#[derive(Signal)]`: the stored name of a type whose values are sent to runs.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::ext::IdentExt;
use syn::{Attribute, Data, DeriveInput, LitStr, Meta};

use crate::args::{parse_name, parse_options};
use crate::diagnostics::Diagnostics;

/// Implements `Signal` for `item`.
pub(crate) fn expand(item: TokenStream, diagnostics: Diagnostics) -> TokenStream {
    let output = match syn::parse2::<DeriveInput>(item) {
        Ok(input) => implementation(&input, &diagnostics),
        Err(error) => {
            diagnostics.push(error);
            TokenStream::new()
        }
    };
    diagnostics.finish_with(output)
}

fn implementation(input: &DeriveInput, diagnostics: &Diagnostics) -> TokenStream {
    let ident = &input.ident;
    let name = stored_name(ident, &input.attrs, diagnostics);
    if let Data::Union(data) = &input.data {
        diagnostics.malformed(
            data.union_token,
            "a union cannot be a signal",
            "make it a struct or an enum: signals are stored through serde",
        );
    }
    if !input.generics.params.is_empty() {
        diagnostics.malformed(
            &input.generics.params,
            format!("the signal `{ident}` is generic"),
            "a signal is found by its stored name, so its type must be fixed: write one struct for \
             each kind of signal",
        );
        return TokenStream::new();
    }
    // The span makes rustc point at the type's name if it cannot be stored.
    quote_spanned! {ident.span()=>
        impl ::piton::machine::Signal for #ident {
            const NAME: &'static str = #name;
        }
    }
}

/// The name given by `#[signal(name = "…")]`, or the type's.
fn stored_name(ident: &Ident, attributes: &[Attribute], diagnostics: &Diagnostics) -> LitStr {
    let mut name = LitStr::new(&ident.unraw().to_string(), ident.span());
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("signal")) {
        match &attribute.meta {
            Meta::List(list) => {
                parse_options(list.tokens.clone(), diagnostics, &["name"], |_, input| {
                    name = parse_name(input)?;
                    Ok(())
                });
            }
            other => diagnostics.malformed(
                other.to_token_stream(),
                "expected options",
                "write `#[signal(name = \"…\")]`",
            ),
        }
    }
    name
}
