//! Patterns reduced to some of their bindings.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote};
use syn::visit::{self, Visit};
use syn::visit_mut::{self, VisitMut};
use syn::{Expr, Ident, Member, Pat, PatIdent, PatOr};

use crate::ir::SharedPattern;
use crate::syntax::binding_modes::Bindings;
use crate::syntax::patterns::{bindings, is_binding};

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
    SharedPattern { pat, value, always_matches }: &SharedPattern,
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
fn without_binding(binding: &mut PatIdent) -> Pat {
    match binding.subpat.take() {
        Some((_, mut inner)) => {
            // Of these the binding had need.
            if let Pat::Paren(inner) = &mut *inner {
                inner.paren_token = syn::token::Paren(Span::mixed_site());
            }
            *inner
        }
        // Where rustc says something of the field that it is for.
        None => syn::parse_quote_spanned!(binding.ident.span()=> _),
    }
}

/// The pattern with some of its bindings, as it finds them where it has matched: what it does not need for that
/// is a wildcard, since it may have been changed. Which of several alternatives it was, it tests again.
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
            // Who knows what it binds.
            fn visit_macro(&mut self, _: &'ast syn::Macro) {
                self.1 = true;
            }
        }
        let mut binds = Binds(self.0, false);
        binds.visit_pat(pat);
        binds.1
    }

    /// Leaves out the bindings that are not wanted, and no test.
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

    /// What is left of a pattern that binds what is not wanted.
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
                // Which alternative it was does not depend on what is wanted.
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
        // rustc warns of a name that is given twice.
        if let (Pat::Ident(pat), Member::Named(name)) = (&*field.pat, &field.member)
            && pat.ident == *name
            && pat.subpat.is_none()
        {
            field.colon_token = None;
        }
    }

    fn visit_expr_mut(&mut self, _: &mut Expr) {}
}

/// Whether the pattern finds the same parts when it is matched again, though what it binds may have been changed
/// by then. It does not test again what it has tested, but for which of several alternatives it was: in
/// `(x, None) | (None, x)` a change of `x` may make the other one match.
pub(crate) fn finds_again(pat: &Pat) -> bool {
    let Bindings { all, by_ref, are_by_ref, .. } = Bindings::of(pat);
    let idents = if by_ref.is_empty() || are_by_ref { all } else { by_ref };
    !has_alternatives(&only(pat, &idents))
}

/// Whether a guard may have to do with which alternative it was.
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
