//! Patterns of which only some bindings are wanted.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::visit_mut::{self, VisitMut};
use syn::{Arm, Expr, Ident, Pat, PatIdent, Stmt};

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

/// Has rustc check that the arms without a guard take all values, and nothing else.
pub(crate) fn check_all(arms: &[Arm], value: &Expr) -> Stmt {
    let sure = arms.iter().filter(|arm| !matches!(arm.pat, Pat::Guard(_)));
    let arms = sure.map(|arm| {
        let pat = only(&arm.pat, &[]);
        // Behind it rustc shows what is missing.
        let end =
            arm.body.to_token_stream().into_iter().last().map_or(arm.body.span(), |t| t.span());
        let body = quote_spanned!(end=> => {});
        quote!(#[allow(unreachable_patterns)] #pat #body)
    });
    syn::parse_quote!(if false { match #value { #(#arms)* } })
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

/// What the binding matches.
pub(crate) fn without_binding(binding: &mut PatIdent) -> Pat {
    match binding.subpat.take() {
        Some((_, mut inner)) => {
            // Of these the binding had need.
            if let Pat::Paren(inner) = &mut *inner {
                inner.paren_token = syn::token::Paren(Span::mixed_site());
            }
            *inner
        }
        None => syn::parse_quote!(_),
    }
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
                *pat = without_binding(inner);
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
