//! Types of parameters, as written and as decoded.

use proc_macro2::TokenStream;
use quote::quote_spanned;
use syn::spanned::Spanned;
use syn::{Type, TypeReference};

/// The reference in an `Option<&T>`.
pub(super) fn in_option(ty: &Type) -> Option<&Type> {
    let Type::Path(path) = ungrouped(ty) else { return None };
    let last = path.path.segments.last().filter(|last| last.ident == "Option")?;
    let syn::PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
    match arguments.args.first() {
        Some(syn::GenericArgument::Type(inner)) => {
            Some(ungrouped(inner)).filter(|inner| matches!(inner, Type::Reference(_)))
        }
        _ => None,
    }
}

/// Whether a type is unsized and has an owned type, as `str` has `String`.
pub(super) fn is_unsized(ty: &Type) -> bool {
    let is_named = |path: &syn::TypePath| {
        let last = path.path.segments.last();
        path.qself.is_none() && last.is_some_and(|last| last.ident == "str" || last.ident == "Path")
    };
    matches!(ty, Type::Slice(_)) || matches!(ty, Type::Path(path) if is_named(path))
}

/// The owned type for the target of `reference`.
pub(super) fn owned_type(reference: &TypeReference) -> TokenStream {
    let elem = ungrouped(&reference.elem);
    let span = elem.span();
    match elem {
        Type::Slice(slice) => {
            let item = &slice.elem;
            quote_spanned!(span=> ::std::vec::Vec<#item>)
        }
        Type::Path(path) if path.qself.is_none() => match path.path.segments.last() {
            Some(last) if last.ident == "str" => quote_spanned!(span=> ::std::string::String),
            Some(last) if last.ident == "Path" => quote_spanned!(span=> ::std::path::PathBuf),
            _ => quote_spanned!(span=> #path),
        },
        other => quote_spanned!(span=> #other),
    }
}

/// The type without parentheses and the invisible groups of `macro_rules!`.
pub(super) fn ungrouped(mut ty: &Type) -> &Type {
    loop {
        ty = match ty {
            Type::Group(group) => &group.elem,
            Type::Paren(paren) => &paren.elem,
            other => return other,
        }
    }
}
