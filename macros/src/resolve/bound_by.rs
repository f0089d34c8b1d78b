//! What binds a name: a pattern, whatever it calls things, and the value that is matched against it.
//!
//! A local is known by the hash of this. Names do not count in it, so two locals that exchange their names are noticed:
//! each is bound then as the other one was.

use proc_macro2::Span;
use quote::ToTokens;
use syn::visit_mut::{self, VisitMut};
use syn::{Expr, Ident, Pat};

use crate::syntax::fingerprint::Fingerprint;
use crate::syntax::patterns::{is_binding, split_type};
use crate::syntax::suspend;

/// What binds the names of a pattern.
#[derive(Default)]
pub(super) struct BoundBy {
    /// The pattern as it is in the source, if its bindings are locals.
    pat: Option<Pat>,
    value: Option<Fingerprint>,
    /// Whether the value is that of an await.
    pub(super) is_awaited: bool,
}

impl BoundBy {
    /// The pattern of a parameter. It is known by its name, as callers know it.
    pub(super) fn parameter(param: &impl ToTokens) -> Self {
        Self { value: Some(Fingerprint::of(param)), ..Self::default() }
    }

    /// A pattern and the value that is matched against it. A type that is written at the binding does not count.
    pub(super) fn value(pat: &Pat, value: Option<&Expr>) -> Self {
        Self {
            pat: Some(split_type(pat).0.clone()),
            value: value.map(Fingerprint::of),
            is_awaited: value.is_some_and(suspend::expr),
        }
    }

    /// A pattern of a `select!`, and the future in its arm.
    pub(super) fn future(pat: &Pat, future: &Expr) -> Self {
        Self { is_awaited: true, ..Self::value(pat, Some(future)) }
    }

    /// That of one of the names in the pattern.
    pub(super) fn fingerprint(&self, name: &str) -> Fingerprint {
        let value = self.value.unwrap_or(Fingerprint::NONE);
        let Some(mut pat) = self.pat.clone() else { return value };
        Unnamed { name }.visit_pat_mut(&mut pat);
        Fingerprint::of(&pat).around(value)
    }
}

/// Takes the names from a pattern, except that it tells the one of interest from the others.
struct Unnamed<'a> {
    name: &'a str,
}

impl VisitMut for Unnamed<'_> {
    fn visit_field_pat_mut(&mut self, field: &mut syn::FieldPat) {
        // The name of the field stays.
        field.colon_token.get_or_insert_default();
        visit_mut::visit_field_pat_mut(self, field);
    }

    fn visit_pat_ident_mut(&mut self, pat: &mut syn::PatIdent) {
        if is_binding(pat) {
            let name = if pat.ident == self.name { "this" } else { "other" };
            pat.ident = Ident::new(name, Span::call_site());
            // It does not make it another one.
            pat.mutability = None;
        }
        visit_mut::visit_pat_ident_mut(self, pat);
    }
}
