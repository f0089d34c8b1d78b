//! Refutability of the patterns in branches of `select!`.

use syn::visit_mut::{self, VisitMut};
use syn::{Pat, PatWild, Token};

use crate::syntax::patterns::is_binding;

/// The pattern with its bindings replaced by wildcards, for a test whether a value matches. `None` if the pattern is
/// visibly irrefutable.
///
/// Matching a value against it neither moves nor borrows any part of the value.
pub(crate) fn refusal(pat: &Pat) -> Option<Pat> {
    if matches_all(pat) {
        return None;
    }
    let mut pat = pat.clone();
    WithoutNames.visit_pat_mut(&mut pat);
    Some(pat)
}

/// Whether a pattern is visibly irrefutable. A named type may be an `enum`.
fn matches_all(pat: &Pat) -> bool {
    match pat {
        Pat::Wild(_) | Pat::Rest(_) => true,
        Pat::Ident(pat) => {
            is_binding(pat) && pat.subpat.as_ref().is_none_or(|(_, pat)| matches_all(pat))
        }
        Pat::Paren(pat) => matches_all(&pat.pat),
        Pat::Reference(pat) => matches_all(&pat.pat),
        Pat::Type(pat) => matches_all(&pat.pat),
        Pat::Tuple(pat) => pat.elems.iter().all(matches_all),
        Pat::Or(pat) => pat.cases.iter().any(matches_all),
        _ => false,
    }
}

struct WithoutNames;

impl VisitMut for WithoutNames {
    fn visit_pat_mut(&mut self, pat: &mut Pat) {
        match pat {
            Pat::Ident(name) if is_binding(name) => match name.subpat.take() {
                Some((_, mut inner)) => {
                    self.visit_pat_mut(&mut inner);
                    *pat = *inner;
                }
                None => {
                    let underscore_token = Token![_](name.ident.span());
                    *pat = Pat::Wild(PatWild { attrs: Vec::new(), underscore_token });
                }
            },
            // A type ascription does not restrict the values.
            Pat::Type(typed) => {
                self.visit_pat_mut(&mut typed.pat);
                *pat = (*typed.pat).clone();
            }
            pat => visit_mut::visit_pat_mut(self, pat),
        }
    }

    fn visit_field_pat_mut(&mut self, field: &mut syn::FieldPat) {
        // `{ name }` is short for `{ name: name }`, which has the pattern in its own position.
        field.colon_token.get_or_insert_default();
        visit_mut::visit_field_pat_mut(self, field);
    }
}
