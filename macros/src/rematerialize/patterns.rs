//! Patterns reduced to some of their bindings.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote};
use syn::visit::{self, Visit};
use syn::visit_mut::{self, VisitMut};
use syn::{Expr, Ident, Member, Pat, PatIdent, PatOr};

use crate::ir::SharedPattern;
use crate::syntax::binding_modes::Bindings;
use crate::syntax::patterns::{bindings, is_binding};

/// An expression that matches `value` and returns the bindings `idents` of `pat`: one value, or a tuple.
pub(crate) fn of(pat: &Pat, value: &Expr, idents: &[Ident]) -> Expr {
    let (only, all, otherwise) = (only(pat, idents), tuple(idents), otherwise());
    syn::parse_quote!(match #value { #only => #all, #otherwise => ::core::unreachable!() })
}

/// As [`of`], for a pattern that is irrefutable.
pub(crate) fn of_all(pat: &Pat, value: &Expr, idents: &[Ident]) -> Expr {
    let (only, all) = (only(pat, idents), tuple(idents));
    syn::parse_quote!(match #value { #only => #all })
}

/// As [`of`], for locals that are rematerialized together.
pub(crate) fn together(
    SharedPattern { pat, value, always_matches }: &SharedPattern,
    idents: &[Ident],
) -> Expr {
    if *always_matches { of_all(pat, value, idents) } else { of(pat, value, idents) }
}

/// The names as one pattern or expression.
pub(crate) fn tuple(idents: &[Ident]) -> TokenStream {
    match idents {
        [ident] => ident.to_token_stream(),
        idents => quote!((#(#idents),*)),
    }
}

/// `_`, without the lint for unreachable arms.
pub(crate) fn otherwise() -> Pat {
    Pat::Verbatim(quote!(
        #[allow(unreachable_patterns)]
        _
    ))
}

/// The subpattern of a binding, or `_`.
fn without_binding(binding: &mut PatIdent) -> Pat {
    match binding.subpat.take() {
        Some((_, mut inner)) => {
            // The binding needed the parentheses.
            if let Pat::Paren(inner) = &mut *inner {
                inner.paren_token = syn::token::Paren(Span::mixed_site());
            }
            *inner
        }
        // The span of the binding, where rustc reports errors about the field.
        None => syn::parse_quote_spanned!(binding.ident.span()=> _),
    }
}

/// The pattern with `idents` as its only bindings. It has matched the value before, so other subpatterns become
/// wildcards: their values may have changed. Alternatives are tested again.
pub(crate) fn only(pat: &Pat, idents: &[Ident]) -> Pat {
    let mut pat = pat.clone();
    Only(idents).visit_pat_mut(&mut pat);
    pat
}

struct Only<'a>(&'a [Ident]);

impl Only<'_> {
    fn keeps(&self, pat: &PatIdent) -> bool {
        self.0.contains(&pat.ident) || !is_binding(pat)
    }

    fn binds(&self, pat: &Pat) -> bool {
        struct Binds<'a>(&'a [Ident], bool);
        impl<'ast> Visit<'ast> for Binds<'_> {
            fn visit_pat_ident(&mut self, pat: &'ast PatIdent) {
                self.1 |= is_binding(pat) && self.0.contains(&pat.ident);
                visit::visit_pat_ident(self, pat);
            }
            fn visit_expr(&mut self, _: &'ast Expr) {}
            // A macro may bind any name.
            fn visit_macro(&mut self, _: &'ast syn::Macro) {
                self.1 = true;
            }
        }
        let mut binds = Binds(self.0, false);
        binds.visit_pat(pat);
        binds.1
    }

    /// Removes the other bindings, and no tests.
    fn leave_out(&self, pat: &mut Pat) {
        struct LeavesOut<'a>(&'a Only<'a>);
        impl VisitMut for LeavesOut<'_> {
            fn visit_pat_mut(&mut self, pat: &mut Pat) {
                self.0.unbind(pat);
                visit_mut::visit_pat_mut(self, pat);
            }
            fn visit_field_pat_mut(&mut self, field: &mut syn::FieldPat) {
                self.0.name(field);
                self.visit_pat_mut(&mut field.pat);
            }
            fn visit_expr_mut(&mut self, _: &mut Expr) {}
        }
        LeavesOut(self).visit_pat_mut(pat);
    }

    /// Replaces a binding that is not in the list by its subpattern.
    fn unbind(&self, pat: &mut Pat) {
        while let Pat::Ident(inner) = pat
            && !self.keeps(inner)
        {
            *pat = without_binding(inner);
        }
    }

    fn name(&self, field: &mut syn::FieldPat) {
        if let Pat::Ident(inner) = &*field.pat
            && !self.keeps(inner)
        {
            field.colon_token = Some(Default::default());
        }
    }
}

impl VisitMut for Only<'_> {
    fn visit_pat_mut(&mut self, pat: &mut Pat) {
        self.unbind(pat);
        if matches!(pat, Pat::Rest(_) | Pat::Verbatim(_)) {
            return;
        }
        if !self.binds(pat) {
            *pat = syn::parse_quote!(_);
            return;
        }
        match pat {
            Pat::Ident(whole) => {
                let is_needed = |inside: &Pat| self.binds(inside) || matches!(inside, Pat::Rest(_));
                whole.subpat.take_if(|(_, inside)| !is_needed(inside));
            }
            Pat::Or(or) => {
                // The alternatives are compared with all their bindings.
                let bound = bindings(&or.cases[0]);
                let mut cases = or.cases.clone();
                cases.iter_mut().for_each(|case| Only(&bound).visit_pat_mut(case));
                if cases.iter().all(|case| *case == cases[0]) {
                    *pat = cases[0].clone();
                    return self.visit_pat_mut(pat);
                }
                or.cases.iter_mut().for_each(|case| self.leave_out(case));
                return;
            }
            _ => {}
        }
        visit_mut::visit_pat_mut(self, pat);
    }

    fn visit_field_pat_mut(&mut self, field: &mut syn::FieldPat) {
        field.colon_token = Some(Default::default());
        self.visit_pat_mut(&mut field.pat);
        // rustc warns about `name: name`.
        if let (Pat::Ident(pat), Member::Named(name)) = (&*field.pat, &field.member)
            && pat.ident == *name
            && pat.subpat.is_none()
        {
            field.colon_token = None;
        }
    }

    fn visit_expr_mut(&mut self, _: &mut Expr) {}
}

/// Whether the pattern finds the same parts when it is matched again, though its bindings may have been changed since.
/// Only alternatives are tested again: in `(x, None) | (None, x)`, a change of `x` may make the other one match.
pub(crate) fn finds_again(pat: &Pat) -> bool {
    let Bindings { all, by_ref, are_by_ref, .. } = Bindings::of(pat);
    let idents = if by_ref.is_empty() || are_by_ref { all } else { by_ref };
    !has_alternatives(&only(pat, &idents))
}

/// Whether a guard may have selected one of several alternatives.
pub(crate) fn depends_on_guard(pat: &Pat) -> bool {
    matches!(pat, Pat::Guard(guarded) if {
        has_alternatives(&only(&guarded.pat, &Bindings::of(&guarded.pat).all))
    })
}

fn has_alternatives(pat: &Pat) -> bool {
    struct Alternatives(bool);
    impl Visit<'_> for Alternatives {
        fn visit_pat_or(&mut self, _: &PatOr) {
            self.0 = true;
        }
        fn visit_expr(&mut self, _: &Expr) {}
    }
    let mut alternatives = Alternatives(false);
    alternatives.visit_pat(pat);
    alternatives.0
}
