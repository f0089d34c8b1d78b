//! The bindings of code that stays as it is, which are no locals of the graph.

use quote::ToTokens;
use syn::{Expr, Ident, Pat};

use super::values::Bound;
use crate::collections::sets::Set;
use crate::ir::LocalId;
use crate::syntax::macros;
use crate::syntax::patterns::{collect_bindings, has_ref};

/// Those that are in scope, by name, with what they have been given.
#[derive(Debug, Default)]
pub(super) struct Bindings(Vec<(String, Bound)>);

impl Bindings {
    pub(super) fn count(&self) -> usize {
        self.0.len()
    }

    pub(super) fn truncate(&mut self, count: usize) {
        self.0.truncate(count);
    }

    pub(super) fn bind(&mut self, pat: &Pat, bound: &Bound) {
        let owned = bound.owned && !has_ref(pat);
        let mut names = Vec::new();
        collect_bindings(pat, &mut names);
        let bound = Bound { owned, ..bound.clone() };
        self.0.extend(names.iter().map(|name| (name.to_string(), bound.clone())));
    }

    pub(super) fn find(&self, ident: &Ident) -> Option<&Bound> {
        self.0.iter().rev().find(|(name, _)| ident == name).map(|(_, bound)| bound)
    }

    pub(super) fn find_mut(&mut self, ident: &Ident) -> Option<&mut Bound> {
        self.0.iter_mut().rev().find(|(name, _)| ident == name).map(|(_, bound)| bound)
    }

    /// Whether the expression names one that may hold a borrow.
    pub(super) fn has_borrow(&self, expr: &Expr) -> bool {
        self.0.iter().any(|(_, bound)| !bound.owned)
            && self.named_in(expr).iter().any(|index| !self.0[*index].1.owned)
    }

    /// What may be changed by way of those that the expression names.
    pub(super) fn lenders(&self, expr: &Expr) -> Set<LocalId> {
        if self.0.iter().all(|(_, bound)| bound.lenders.is_empty()) {
            return Set::new();
        }
        self.named_in(expr).iter().flat_map(|index| &self.0[*index].1.lenders).copied().collect()
    }

    /// Notes that a borrow may be put into those that the expression names.
    pub(super) fn keep(&mut self, expr: &Expr) {
        for index in self.named_in(expr) {
            self.0[index].1.owned = false;
        }
    }

    fn named_in(&self, expr: &Expr) -> Set<usize> {
        let mut named = Set::new();
        macros::scan_names(&expr.to_token_stream(), &mut |name| {
            named.extend(self.0.iter().rposition(|(known, _)| known == name));
        });
        named
    }
}
