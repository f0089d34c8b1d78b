//! Patterns of which only some bindings are wanted.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::visit_mut::{self, VisitMut};
use syn::{Expr, Ident, Pat};

use crate::ir::MadeWith;
use crate::resolve::is_binding;

/// What `pat` binds to `idents` of a `value` that it matches: one value, or a tuple of them.
pub(crate) fn of(pat: &Pat, value: &Expr, idents: &[Ident]) -> Expr {
    let (only, all, otherwise) = (only(pat, idents), tuple(idents), otherwise());
    syn::parse_quote!(match #value { #only => #all, #otherwise => ::core::unreachable!() })
}

/// As [`of`], where `pat` matches all values.
pub(crate) fn of_all(pat: &Pat, value: &Expr, idents: &[Ident]) -> Expr {
    let (only, all) = (only(pat, idents), tuple(idents));
    syn::parse_quote!(match #value { #only => #all })
}

/// As [`of`], for locals that are made together.
pub(crate) fn together(
    MadeWith { pat, value, always_matches }: &MadeWith,
    idents: &[Ident],
) -> Expr {
    if *always_matches { of_all(pat, value, idents) } else { of(pat, value, idents) }
}

/// Some names as one pattern or value.
pub(crate) fn tuple(idents: &[Ident]) -> TokenStream {
    match idents {
        [ident] => ident.to_token_stream(),
        idents => quote!((#(#idents),*)),
    }
}

/// `_`, which may be one pattern too many.
pub(crate) fn otherwise() -> Pat {
    Pat::Verbatim(quote!(
        #[allow(unreachable_patterns)]
        _
    ))
}

/// The pattern with some of its bindings and wildcards in place of the others.
fn only(pat: &Pat, idents: &[Ident]) -> Pat {
    struct Only<'a>(&'a [Ident]);
    impl Only<'_> {
        fn keeps(&self, pat: &syn::PatIdent) -> bool {
            self.0.contains(&pat.ident) || !is_binding(pat)
        }
    }
    impl VisitMut for Only<'_> {
        fn visit_pat_mut(&mut self, pat: &mut Pat) {
            while let Pat::Ident(inner) = pat
                && !self.keeps(inner)
            {
                *pat = match inner.subpat.take() {
                    Some((_, inside)) => *inside,
                    None => Pat::Wild(syn::PatWild {
                        attrs: Vec::new(),
                        underscore_token: Default::default(),
                    }),
                };
            }
            visit_mut::visit_pat_mut(self, pat);
        }
        fn visit_field_pat_mut(&mut self, field: &mut syn::FieldPat) {
            if let Pat::Ident(inner) = &*field.pat
                && !self.keeps(inner)
            {
                field.colon_token = Some(Default::default());
            }
            self.visit_pat_mut(&mut field.pat);
        }
        fn visit_expr_mut(&mut self, _: &mut Expr) {}
    }
    let mut pat = pat.clone();
    Only(idents).visit_pat_mut(&mut pat);
    pat
}
