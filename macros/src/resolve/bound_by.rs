//! The fingerprint of a binding: its pattern, without names, and the value matched against it.
//!
//! A saved local is found by this fingerprint if its name has changed. Names are not part of it, so an exchange of the
//! names of two locals is detected: each name then has the fingerprint of the other.

use proc_macro2::Span;
use quote::ToTokens;
use syn::visit_mut::{self, VisitMut};
use syn::{Expr, Ident, Pat};

use crate::syntax::fingerprint::Fingerprint;
use crate::syntax::patterns::{is_binding, split_type};
use crate::syntax::suspend;

/// The source of the bindings of a pattern.
#[derive(Default)]
pub(super) struct BoundBy {
    /// The pattern as the user wrote it, if its bindings are locals.
    pat: Option<Pat>,
    value: Option<Fingerprint>,
    /// Whether the value comes from an await.
    pub(super) is_awaited: bool,
}

impl BoundBy {
    /// A parameter. Its name is part of the fingerprint, because callers know it.
    pub(super) fn parameter(param: &impl ToTokens) -> Self {
        Self { value: Some(Fingerprint::of(param)), ..Self::default() }
    }

    /// A pattern and the value matched against it. The declared type does not count.
    pub(super) fn value(pat: &Pat, value: Option<&Expr>) -> Self {
        Self {
            pat: Some(split_type(pat).0.clone()),
            value: value.map(Fingerprint::of),
            is_awaited: value.is_some_and(suspend::expr),
        }
    }

    /// A pattern of a `select!`, and the future of its branch.
    pub(super) fn future(pat: &Pat, future: &Expr) -> Self {
        Self { is_awaited: true, ..Self::value(pat, Some(future)) }
    }

    /// The fingerprint of one name in the pattern.
    pub(super) fn fingerprint(&self, name: &str) -> Fingerprint {
        let value = self.value.unwrap_or(Fingerprint::NONE);
        let Some(mut pat) = self.pat.clone() else { return value };
        Unnamed { name }.visit_pat_mut(&mut pat);
        Fingerprint::of(&pat).around(value)
    }
}

/// Replaces the names in a pattern, so that only the position of `name` counts.
struct Unnamed<'a> {
    name: &'a str,
}

impl VisitMut for Unnamed<'_> {
    fn visit_field_pat_mut(&mut self, field: &mut syn::FieldPat) {
        // The field's name stays.
        field.colon_token.get_or_insert_default();
        visit_mut::visit_field_pat_mut(self, field);
    }

    fn visit_pat_ident_mut(&mut self, pat: &mut syn::PatIdent) {
        if is_binding(pat) {
            let name = if pat.ident == self.name { "this" } else { "other" };
            pat.ident = Ident::new(name, Span::call_site());
            // `mut` does not change the binding's identity.
            pat.mutability = None;
        }
        visit_mut::visit_pat_ident_mut(self, pat);
    }
}
