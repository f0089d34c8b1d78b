//! The fingerprint of a binding: its pattern, without names, and the value matched against it.
//!
//! A saved local is found by this fingerprint if its name has changed. Names are not part of it, so an exchange of the
//! names of two locals is detected: each name then has the fingerprint of the other.

use proc_macro2::Span;
use syn::visit::Visit;
use syn::visit_mut::{self, VisitMut};
use syn::{Expr, Ident, Index, Pat, PatType};

use crate::syntax::fingerprint::Fingerprint;
use crate::syntax::patterns::{bindings, is_binding, split_type};
use crate::syntax::suspend::{self, Awaiting};

/// The source of the bindings of a pattern.
#[derive(Default)]
pub(super) struct BoundBy {
    /// The pattern as the user wrote it, if its bindings are locals.
    pat: Option<Pat>,
    value: Option<Fingerprint>,
    /// The elements of a tuple that the pattern takes apart, if they are different.
    elements: Vec<BoundBy>,
    /// Whether two values of the code may differ: it awaits, or calls a method, as in `parts.next()`.
    pub(super) may_vary: bool,
    /// The fingerprint of the value's tokens in any order, if the pattern binds several names.
    pub(super) unordered: Fingerprint,
}

impl BoundBy {
    /// The parameter with this index. Its name is part of the fingerprint, because callers know it. The names in a pattern
    /// are not.
    pub(super) fn parameter(index: usize, param: &PatType) -> Self {
        match &*param.pat {
            Pat::Ident(_) => Self { value: Some(Fingerprint::of(param)), ..Self::default() },
            pat => Self {
                pat: Some(pat.clone()),
                value: Some(Fingerprint::of(&Index::from(index))),
                ..Self::default()
            },
        }
    }

    /// A pattern and the value matched against it. The declared type does not count.
    pub(super) fn value(pat: &Pat, value: Option<&Expr>) -> Self {
        Self {
            pat: Some(split_type(pat).0.clone()),
            value: value.map(Fingerprint::of),
            elements: value.and_then(|value| elements(pat, value)).unwrap_or_default(),
            may_vary: value.is_some_and(|value| suspend::expr(value) || calls_method(value)),
            unordered: match value {
                Some(value) if bindings(pat).len() > 1 => Fingerprint::unordered(value),
                _ => Fingerprint::NONE,
            },
        }
    }

    /// The pattern of a loop, and what it iterates over. The items may be in another order.
    pub(super) fn items(pat: &Pat, iterated: &Expr) -> Self {
        Self { unordered: Fingerprint::NONE, ..Self::value(pat, Some(iterated)) }
    }

    /// A pattern of a `select!`, and the future of its branch.
    pub(super) fn future(pat: &Pat, future: &Expr) -> Self {
        Self { may_vary: true, ..Self::value(pat, Some(future)) }
    }

    /// The fingerprint of one name in the pattern.
    pub(super) fn fingerprint(&self, name: &str) -> Fingerprint {
        let value = self.value.unwrap_or(Fingerprint::NONE);
        let Some(mut pat) = self.pat.clone() else { return value };
        if let Some(element) = self.elements.iter().find(|element| element.binds(name)) {
            return element.fingerprint(name);
        }
        Unnamed { name }.visit_pat_mut(&mut pat);
        Fingerprint::of(&pat).around(value)
    }

    fn binds(&self, name: &str) -> bool {
        self.pat.as_ref().is_some_and(|pat| bindings(pat).iter().any(|binding| *binding == name))
    }
}

/// The fingerprints of the values that an assignment gives to variables. The variables are in the order of
/// [`assigned_variables`].
pub(super) fn assigned_values(left: &Expr, right: &Expr) -> Vec<Fingerprint> {
    match left {
        Expr::Paren(left) => assigned_values(&left.expr, right),
        Expr::Tuple(left) => {
            let values = values(right).filter(|values| values.len() == left.elems.len());
            let assigned = left.elems.iter().enumerate().flat_map(|(index, left)| match &values {
                Some(values) => assigned_values(left, &values[index]),
                None => {
                    let value = Fingerprint::of(&Index::from(index)).around(Fingerprint::of(right));
                    vec![value; assigned_variables(left).len()]
                }
            });
            assigned.collect()
        }
        left => vec![Fingerprint::of(right); assigned_variables(left).len()],
    }
}

/// The variables that an assignment gives a value, as a whole.
pub(super) fn assigned_variables(left: &Expr) -> Vec<&Ident> {
    match left {
        Expr::Paren(left) => assigned_variables(&left.expr),
        Expr::Tuple(left) => left.elems.iter().flat_map(assigned_variables).collect(),
        Expr::Path(left) => left.path.get_ident().into_iter().collect(),
        _ => Vec::new(),
    }
}

/// The bindings of the elements of a tuple, so that they may be told apart if the elements change places.
fn elements(pat: &Pat, value: &Expr) -> Option<Vec<BoundBy>> {
    let Pat::Tuple(pat) = split_type(pat).0 else { return None };
    let values = values(value)?;
    let has_rest = pat.elems.iter().any(|element| matches!(element, Pat::Rest(_)));
    if has_rest || pat.elems.len() != values.len() {
        return None;
    }
    let bound = pat.elems.iter().zip(&values);
    let bound: Vec<_> = bound.map(|(pat, value)| BoundBy::value(pat, Some(value))).collect();
    let is_other = |(index, element): (usize, &BoundBy)| {
        bound[..index].iter().all(|before| before.value != element.value)
    };
    bound.iter().enumerate().all(is_other).then_some(bound)
}

fn calls_method(value: &Expr) -> bool {
    struct Calls(bool);
    impl Visit<'_> for Calls {
        fn visit_expr_method_call(&mut self, _: &syn::ExprMethodCall) {
            self.0 = true;
        }
    }
    let mut calls = Calls(false);
    calls.visit_expr(value);
    calls.0
}

/// The elements of a tuple, or the operations whose outcomes are its elements.
fn values(value: &Expr) -> Option<Vec<Expr>> {
    match value {
        Expr::Tuple(tuple) => Some(tuple.elems.iter().cloned().collect()),
        Expr::Paren(expr) => values(&expr.expr),
        Expr::Try(expr) => values(&expr.expr),
        Expr::Macro(expr) => {
            suspend::awaiting(&expr.mac)
                .filter(|awaiting| matches!(awaiting, Awaiting::Join | Awaiting::TryJoin))?;
            suspend::joined(&expr.mac).ok()
        }
        _ => None,
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
