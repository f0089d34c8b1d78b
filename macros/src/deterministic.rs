//! `#[deterministic]`: a function that workflows call, checked by their rules.
//!
//! The function is left as it is. Beside it goes a type of its name, by which a strict workflow
//! knows that it has been checked.

use proc_macro2::TokenStream;
use quote::quote;
use syn::ItemFn;

use crate::args::DeterministicArgs;
use crate::check::check_deterministic;
use crate::diagnostics::Diagnostics;

/// Checks `item` and marks it.
pub(crate) fn expand(
    args: TokenStream,
    item: TokenStream,
    diagnostics: Diagnostics,
) -> TokenStream {
    let args = DeterministicArgs::parse(args, &diagnostics);
    // A function that does not parse is left to rustc, which says it better.
    let Ok(function) = syn::parse2::<ItemFn>(item.clone()) else {
        return diagnostics.finish_with(item);
    };
    check_deterministic(&function, &args, &diagnostics);
    let marker = marker(&function);
    diagnostics.finish_with(quote!(#item #marker))
}

/// The type that stands for the function. A method cannot have one beside it.
fn marker(function: &ItemFn) -> Option<TokenStream> {
    if function.sig.receiver().is_some() {
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
