//! `#[derive(Signal)]`: the stored name of a type whose values are sent to runs.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::ext::IdentExt;
use syn::visit::Visit;
use syn::{Attribute, Data, DeriveInput, LitStr, Meta};

use crate::args::{CRATE, Known, parse_name, parse_options};
use crate::diagnostics::Diagnostics;
use crate::root::parse_crate;

const OPTIONS: Known = &[("name", "name = \"order.approved\""), CRATE];

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
        return TokenStream::new();
    }
    refuse_inner(&input.data, diagnostics);
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

/// Reports options on fields and variants, which mean nothing.
fn refuse_inner(data: &Data, diagnostics: &Diagnostics) {
    struct Inner<'a>(&'a Diagnostics);
    impl<'ast> Visit<'ast> for Inner<'_> {
        fn visit_attribute(&mut self, attribute: &'ast Attribute) {
            if attribute.path().is_ident("signal") {
                let message = "`#[signal]` is for the type as a whole";
                self.0.malformed(attribute, message, "put it on the type");
            }
        }
    }
    Inner(diagnostics).visit_data(data);
}

/// The name given by `#[signal(name = "…")]`, or the type's.
fn stored_name(ident: &Ident, attributes: &[Attribute], diagnostics: &Diagnostics) -> LitStr {
    let mut name = LitStr::new(&ident.unraw().to_string(), ident.span());
    let of_signal = attributes.iter().filter(|attribute| attribute.path().is_ident("signal"));
    for (index, attribute) in of_signal.enumerate() {
        if index > 0 {
            diagnostics.malformed(attribute, "`#[signal]` is given twice", "remove one of them");
            continue;
        }
        match &attribute.meta {
            Meta::List(list) => {
                parse_options(list.tokens.clone(), diagnostics, OPTIONS, |key, input| {
                    if key == "crate" {
                        return parse_crate(input);
                    }
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
