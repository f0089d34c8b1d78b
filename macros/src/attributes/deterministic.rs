//! `#[deterministic]`: a function that workflows call, checked by their rules.
//!
//! The function is unchanged. A type with its name is added, by which a strict workflow knows that the function was
//! checked.

use proc_macro2::TokenStream;
use quote::quote;
use syn::ItemFn;

use crate::check::check_deterministic;
use crate::diagnostics::Diagnostics;
use crate::frontend::args::DeterministicArgs;
use crate::frontend::conditions;
use crate::syntax::source::{Surroundings, surroundings_of};

/// Checks `item` and marks it.
pub(crate) fn expand(
    args: TokenStream,
    item: TokenStream,
    diagnostics: Diagnostics,
) -> TokenStream {
    let attribute = quote!(::piton::deterministic(#args));
    let args = DeterministicArgs::parse(args, &diagnostics);
    // rustc reports syntax errors better.
    let Ok(mut function) = syn::parse2::<ItemFn>(item.clone()) else {
        if let Ok(syn::Item::Verbatim(_)) | Err(_) = syn::parse2::<syn::Item>(item.clone()) {
            return diagnostics.finish_with(item);
        }
        diagnostics.malformed(
            item.clone().into_iter().next(),
            "`#[deterministic]` can only be applied to functions and methods",
            "put it on a function or method",
        );
        return diagnostics.finish_with(item);
    };
    if !diagnostics.has_errors()
        && let Some(both) = conditions::split(&mut function, &attribute)
    {
        return diagnostics.finish_with(both);
    }
    check_deterministic(&function, &args, &diagnostics);
    let marker = marker(&function);
    diagnostics.finish_with(quote!(#item #marker))
}

/// The marker type. An `impl` block cannot have one beside the function, and strict workflows do not check methods.
fn marker(function: &ItemFn) -> Option<TokenStream> {
    let around = surroundings_of(function.sig.ident.span());
    let is_in_a_block = matches!(around, Some(Surroundings::Impl(_) | Surroundings::Trait));
    if is_in_a_block || function.sig.receiver().is_some() {
        return None;
    }
    let ItemFn { attrs, vis, sig, .. } = function;
    let cfgs: Vec<_> = attrs.iter().filter(|attribute| attribute.path().is_ident("cfg")).collect();
    let ident = &sig.ident;
    Some(quote! {
        #(#cfgs)*
        #[doc(hidden)]
        #[allow(dead_code, non_camel_case_types)]
        #vis enum #ident {}
        #(#cfgs)*
        impl ::piton::__private::Checked for #ident {}
    })
}
