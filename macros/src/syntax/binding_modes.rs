//! How patterns bind: by value, by reference, or as `ref mut`.

use syn::visit::{self, Visit};
use syn::{Expr, Ident, Pat, PatIdent, PatReference};

use super::patterns::is_binding;

/// The bindings of a pattern by their mode.
pub(crate) struct Bindings {
    pub(crate) all: Vec<Ident>,
    /// Whether all bindings have `ref` or `ref mut`.
    pub(crate) are_by_ref: bool,
    /// The bindings with `ref` or `ref mut`.
    pub(crate) by_ref: Vec<Ident>,
    /// Whether a binding has `ref mut`.
    pub(crate) has_mutable: bool,
    /// Whether the pattern has a `&`, behind which bindings copy.
    pub(crate) has_reference: bool,
}

impl Bindings {
    pub(crate) fn of(pat: &Pat) -> Self {
        let mut bindings = Self {
            all: Vec::new(),
            are_by_ref: true,
            by_ref: Vec::new(),
            has_mutable: false,
            has_reference: false,
        };
        bindings.visit_pat(pat);
        bindings
    }
}

impl Visit<'_> for Bindings {
    fn visit_pat_ident(&mut self, pat: &PatIdent) {
        if is_binding(pat) {
            self.are_by_ref &= pat.by_ref.is_some();
            if !self.all.contains(&pat.ident) {
                self.all.push(pat.ident.clone());
            }
            if pat.by_ref.is_some() && !self.by_ref.contains(&pat.ident) {
                self.by_ref.push(pat.ident.clone());
            }
            self.has_mutable |= pat.by_ref.is_some() && pat.mutability.is_some();
        }
        visit::visit_pat_ident(self, pat);
    }

    fn visit_pat_reference(&mut self, _: &PatReference) {
        self.has_reference = true;
    }

    fn visit_expr(&mut self, _: &Expr) {}
}

/// Whether all bindings of the pattern have `ref` or `ref mut`.
pub(crate) fn binds_by_ref(pat: &Pat) -> bool {
    Bindings::of(pat).are_by_ref
}
