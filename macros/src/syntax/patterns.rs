//! The bindings of patterns.

use syn::visit::Visit;
use syn::{Expr, Ident, Pat, PatGuard, PatIdent, PatType, Type};

use super::names::without_prefix;

/// A pattern without its type, and the type.
pub(crate) fn split_type(pat: &Pat) -> (&Pat, Option<&Type>) {
    match pat {
        Pat::Type(PatType { pat, ty, .. }) => (pat, Some(ty)),
        pat => (pat, None),
    }
}

/// The names that a pattern binds, without repetitions.
pub(crate) fn bindings(pat: &Pat) -> Vec<Ident> {
    struct Bindings(Vec<Ident>);
    impl Visit<'_> for Bindings {
        fn visit_pat_ident(&mut self, pat: &PatIdent) {
            if is_binding(pat) && !self.0.contains(&pat.ident) {
                self.0.push(pat.ident.clone());
            }
            if let Some((_, pat)) = &pat.subpat {
                self.visit_pat(pat);
            }
        }
        fn visit_pat_guard(&mut self, pat: &PatGuard) {
            self.visit_pat(&pat.pat);
            let_patterns(&pat.guard).into_iter().for_each(|pat| self.visit_pat(pat));
        }
        fn visit_expr(&mut self, _: &Expr) {}
    }
    let mut bindings = Bindings(Vec::new());
    bindings.visit_pat(pat);
    bindings.0
}

/// The stored name of a parameter: of a pattern, the names that it binds. `None` if it binds none.
pub(crate) fn parameter_name(pat: &Pat) -> Option<String> {
    let bound = match pat {
        Pat::Ident(pat) => vec![pat.ident.clone()],
        pat => bindings(pat),
    };
    let bound: Vec<_> =
        bound.iter().map(|name| without_prefix(&name.to_string()).to_owned()).collect();
    (!bound.is_empty()).then(|| bound.join(", "))
}

/// Whether the pattern has a `ref` binding.
pub(crate) fn has_ref(pat: &Pat) -> bool {
    struct HasRef(bool);
    impl syn::visit::Visit<'_> for HasRef {
        fn visit_pat_ident(&mut self, pat: &syn::PatIdent) {
            self.0 |= pat.by_ref.is_some();
            syn::visit::visit_pat_ident(self, pat);
        }
    }
    let mut has_ref = HasRef(false);
    syn::visit::Visit::visit_pat(&mut has_ref, pat);
    has_ref.0
}

/// Whether the name in a pattern is a binding and not a constant or variant.
pub(crate) fn is_binding(pat: &syn::PatIdent) -> bool {
    pat.by_ref.is_some()
        || pat.mutability.is_some()
        || pat.subpat.is_some()
        || !pat.ident.to_string().chars().find(|c| *c != '_').is_some_and(char::is_uppercase)
}

/// Whether the name is written like a constant, as `N` is, and not like a variant or struct.
pub(crate) fn is_all_capital(name: &Ident) -> bool {
    let name = name.to_string();
    name.contains(char::is_uppercase) && !name.contains(char::is_lowercase)
}

/// The patterns of a condition's `let`s.
pub(crate) fn let_patterns(cond: &Expr) -> Vec<&Pat> {
    match cond {
        Expr::Let(expr) => vec![&expr.pat],
        Expr::Binary(expr) => {
            let mut pats = let_patterns(&expr.left);
            pats.extend(let_patterns(&expr.right));
            pats
        }
        _ => Vec::new(),
    }
}
