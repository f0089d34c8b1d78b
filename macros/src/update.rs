//! `#[derive(Update)]`: the stored name of a request to runs, and the types of its answers.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::visit::Visit;
use syn::{Attribute, Data, DeriveInput, LitStr, Meta, Token, Type};

use crate::args::{CRATE, Known, parse_name, parse_options};
use crate::diagnostics::Diagnostics;
use crate::root::parse_crate;

const OPTIONS: Known = &[
    ("name", "name = \"cart.add\""),
    ("reply", "reply = Money"),
    ("error", "error = OutOfStock"),
    CRATE,
];

/// Implements `Update` for `item`.
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
    let options = Options::read(ident, &input.attrs, diagnostics);
    if let Data::Union(data) = &input.data {
        diagnostics.malformed(
            data.union_token,
            "a union cannot be an update",
            "make it a struct or an enum: updates are stored through serde",
        );
        return TokenStream::new();
    }
    refuse_inner(&input.data, diagnostics);
    if !input.generics.params.is_empty() {
        diagnostics.malformed(
            &input.generics.params,
            format!("the update `{ident}` is generic"),
            "an update is found by its stored name, so its type must be fixed: write one struct for \
             each kind of update",
        );
        return TokenStream::new();
    }
    let Options { name, reply, error } = options;
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

/// Reports options on fields and variants, which mean nothing.
fn refuse_inner(data: &Data, diagnostics: &Diagnostics) {
    struct Inner<'a>(&'a Diagnostics);
    impl<'ast> Visit<'ast> for Inner<'_> {
        fn visit_attribute(&mut self, attribute: &'ast Attribute) {
            if attribute.path().is_ident("update") {
                let message = "`#[update]` is for the type as a whole";
                self.0.malformed(attribute, message, "put it on the type");
            }
        }
    }
    Inner(diagnostics).visit_data(data);
}

/// What `#[update(…)]` says.
struct Options {
    name: LitStr,
    reply: Option<Type>,
    error: Option<Type>,
}

impl Options {
    fn read(ident: &Ident, attributes: &[Attribute], diagnostics: &Diagnostics) -> Self {
        let name = LitStr::new(&ident.unraw().to_string(), ident.span());
        let mut options = Self { name, reply: None, error: None };
        let of_update = attributes.iter().filter(|attribute| attribute.path().is_ident("update"));
        for (index, attribute) in of_update.enumerate() {
            if index > 0 {
                let message = "`#[update]` is given twice";
                diagnostics.malformed(attribute, message, "remove one of them");
                continue;
            }
            match &attribute.meta {
                Meta::List(list) => {
                    parse_options(list.tokens.clone(), diagnostics, OPTIONS, |key, input| {
                        match key.to_string().as_str() {
                            "crate" => parse_crate(input)?,
                            "reply" => options.reply = Some(parse_type(input)?),
                            "error" => options.error = Some(parse_type(input)?),
                            _ => options.name = parse_name(input)?,
                        }
                        Ok(())
                    });
                }
                other => diagnostics.malformed(
                    other.to_token_stream(),
                    "expected options",
                    "write `#[update(reply = Money)]`",
                ),
            }
        }
        options
    }
}

/// Reads `= Money`.
fn parse_type(input: ParseStream) -> syn::Result<Type> {
    input.parse::<Token![=]>()?;
    input.parse()
}
