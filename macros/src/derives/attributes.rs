//! `#[derive(Attributes)]`: the fields of a struct as attributes of a run.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned as _;
use syn::{Data, DeriveInput, Field, Fields, LitStr, Meta};

use crate::derives::sent_type::derive;
use crate::diagnostics::Diagnostics;
use crate::frontend::args::{CRATE, Known, parse_options};
use crate::syntax::root::parse_crate;

const OF_TYPE: Known = &[CRATE];

const OF_FIELD: Known = &[("name", "name = \"customer\""), ("text", "text")];

/// Names that have another meaning in filters: the columns of every run, and the prefix of variables.
const RESERVED: [&str; 13] = [
    "workflow",
    "workflow_id",
    "run_id",
    "status",
    "state",
    "definition",
    "started_at",
    "closed_at",
    "due_at",
    "blocked_at",
    "since",
    "blocked_kind",
    "var",
];

/// In bytes; the runtime has the same limit.
const LONGEST_NAME: usize = 64;

/// Implements `Attributes` for `item`.
pub(crate) fn expand(item: TokenStream, diagnostics: Diagnostics) -> TokenStream {
    derive(item, diagnostics, implementation)
}

fn implementation(input: &DeriveInput, diagnostics: &Diagnostics) -> TokenStream {
    let ident = &input.ident;
    for attribute in &input.attrs {
        if attribute.path().is_ident("attribute")
            && let Meta::List(list) = &attribute.meta
        {
            parse_options(list.tokens.clone(), diagnostics, OF_TYPE, |_, input| parse_crate(input));
        }
    }
    let fields = match &input.data {
        Data::Struct(data) => match &data.fields {
            Fields::Named(fields) => &fields.named,
            _ => {
                diagnostics.malformed(
                    ident,
                    "`#[derive(Attributes)]` needs a struct with named fields",
                    "name the fields: the name of a field is the name of its attribute",
                );
                return TokenStream::new();
            }
        },
        _ => {
            diagnostics.malformed(
                ident,
                "`#[derive(Attributes)]` can only be applied to structs",
                "write a struct with a field for each attribute",
            );
            return TokenStream::new();
        }
    };
    let mut names: Vec<String> = Vec::new();
    let puts: Vec<TokenStream> = fields
        .iter()
        .filter_map(|field| {
            let Options { name, is_text } = options(field, diagnostics)?;
            if names.contains(&name.value()) {
                let message = format!("two fields have the attribute name `{}`", name.value());
                diagnostics.malformed(&name, message, "give one of them another name");
                return None;
            }
            names.push(name.value());
            let member = field.ident.as_ref()?;
            // The span makes rustc point at a type that cannot be an attribute.
            Some(match is_text {
                true => quote_spanned! {field.ty.span()=>
                    __piton_changes.put(
                        #name,
                        ::piton::__private::IntoText::into_text(self.#member),
                    );
                },
                false => quote_spanned! {field.ty.span()=>
                    __piton_changes.put(
                        #name,
                        ::piton::model::IntoAttribute::into_attribute(self.#member),
                    );
                },
            })
        })
        .collect();
    let (generics, arguments, bounds) = input.generics.split_for_impl();
    quote_spanned! {ident.span()=>
        impl #generics ::piton::model::Attributes for #ident #arguments #bounds {
            fn into_changes(self) -> ::piton::model::AttributeChanges {
                let mut __piton_changes = ::piton::model::AttributeChanges::new();
                #(#puts)*
                __piton_changes
            }
        }
    }
}

/// The options of a field.
struct Options {
    name: LitStr,
    is_text: bool,
}

fn options(field: &Field, diagnostics: &Diagnostics) -> Option<Options> {
    let ident = field.ident.as_ref()?;
    let mut name = LitStr::new(&ident.unraw().to_string(), ident.span());
    let mut is_text = false;
    for attribute in field.attrs.iter().filter(|attribute| attribute.path().is_ident("attribute")) {
        match &attribute.meta {
            Meta::List(list) => {
                parse_options(list.tokens.clone(), diagnostics, OF_FIELD, |key, input| {
                    if key == "text" {
                        is_text = true;
                        return Ok(());
                    }
                    input.parse::<syn::Token![=]>()?;
                    name = input.parse()?;
                    Ok(())
                });
            }
            other => diagnostics.malformed(
                other.to_token_stream(),
                "expected options",
                "write `#[attribute(name = \"…\")]` or `#[attribute(text)]`",
            ),
        }
    }
    check_name(&name, diagnostics).then_some(Options { name, is_text })
}

fn check_name(name: &LitStr, diagnostics: &Diagnostics) -> bool {
    let text = name.value();
    let mut letters = text.bytes();
    let begins = letters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == b'_');
    let is_word = begins && letters.all(|letter| letter.is_ascii_alphanumeric() || letter == b'_');
    if !is_word || text.len() > LONGEST_NAME {
        diagnostics.malformed(
            name,
            format!("`{text}` is not a valid attribute name"),
            "use letters, digits and `_`, no digit first, and at most 64 bytes",
        );
        return false;
    }
    if RESERVED.iter().any(|reserved| reserved.eq_ignore_ascii_case(&text)) {
        diagnostics.malformed(
            name,
            format!("`{text}` is the name of a column of every run, and cannot be the name of an attribute"),
            "choose another name with `#[attribute(name = \"…\")]`",
        );
        return false;
    }
    true
}
