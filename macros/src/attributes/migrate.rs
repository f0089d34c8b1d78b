//! `#[migrate]`: a function that converts one saved state. It is unchanged, and registered.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::{ItemFn, LitStr, Path, Token};

use crate::diagnostics::Diagnostics;
use crate::syntax::root::parse_crate;

/// An example of the attribute.
const HELP: &str = "write `#[migrate(workflow = fulfill, from = \"charge\")]` with the workflow and the name of the saved state";

/// `workflow = fulfill, from = "charge"`
struct MigrateArgs {
    workflow: Path,
    from: LitStr,
}

impl Parse for MigrateArgs {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        let (mut workflow, mut from) = (None, None);
        while !input.is_empty() {
            let key = input.call(Ident::parse_any)?;
            match key.to_string().as_str() {
                "crate" => parse_crate(input)?,
                "workflow" if workflow.is_none() => {
                    input.parse::<Token![=]>()?;
                    workflow = Some(input.parse()?);
                }
                "from" if from.is_none() => {
                    input.parse::<Token![=]>()?;
                    from = Some(input.parse()?);
                }
                _ => {
                    return Err(syn::Error::new(
                        key.span(),
                        "the options are `workflow` and `from`, each given once",
                    ));
                }
            }
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        match (workflow, from) {
            (Some(workflow), Some(from)) => Ok(Self { workflow, from }),
            _ => Err(input.error("the options `workflow` and `from` must be given")),
        }
    }
}

/// Registers the function.
pub(crate) fn expand(
    args: TokenStream,
    item: TokenStream,
    diagnostics: Diagnostics,
) -> TokenStream {
    let MigrateArgs { workflow, from } = match syn::parse2(args) {
        Ok(args) => args,
        Err(error) => {
            diagnostics.error(
                error.span(),
                crate::diagnostics::rules::Rule::ATTRIBUTES,
                error.to_string(),
                HELP,
            );
            return diagnostics.finish_with(item);
        }
    };
    // rustc reports syntax errors better.
    let Ok(function) = syn::parse2::<ItemFn>(item.clone()) else {
        return diagnostics.finish_with(item);
    };
    let ident = &function.sig.ident;
    if function.sig.inputs.len() != 1 || function.sig.asyncness.is_some() {
        diagnostics.malformed(
            &function.sig,
            "a migration takes a struct of saved locals and is not `async`",
            "write `fn name(old: OldCharge) -> Resume<fulfill>`, with a struct that has the saved locals as fields",
        );
        return diagnostics.finish_with(item);
    }
    diagnostics.finish_with(quote! {
        #item
        const _: () = {
            fn run(
                saved: ::piton::__private::SavedLocals,
            ) -> ::core::result::Result<::piton::__private::Target, ::piton::__private::CodecError> {
                let resume: ::piton::Resume<#workflow> = #ident(saved.read()?);
                ::core::result::Result::Ok(resume.into_target())
            }
            extern "C" fn register() {
                static MIGRATION: ::piton::__private::Migration =
                    ::piton::__private::Migration::of::<#workflow>(#from, run);
                MIGRATION.register();
            }
            ::piton::__register! { register }
        };
    })
}
