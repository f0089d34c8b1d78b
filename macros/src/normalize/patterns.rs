//! What patterns bind.

use syn::visit::Visit;
use syn::{Expr, Ident, Pat, PatGuard, PatIdent, PatType, Type};

use crate::cfg::let_patterns;
use crate::resolve::is_binding;

/// A pattern without its type, and the type.
pub(crate) fn split_type(pat: &Pat) -> (&Pat, Option<&Type>) {
    match pat {
        Pat::Type(PatType { pat, ty, .. }) => (pat, Some(ty)),
        pat => (pat, None),
    }
}

/// The names that a pattern binds.
pub(crate) fn collect_bindings(pat: &Pat, out: &mut Vec<Ident>) {
    struct Bindings<'a>(&'a mut Vec<Ident>);
    impl Visit<'_> for Bindings<'_> {
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
    Bindings(out).visit_pat(pat);
}

/// Whether a pattern binds no name.
pub(crate) fn binds_nothing(pat: &Pat) -> bool {
    let mut bound = Vec::new();
    collect_bindings(pat, &mut bound);
    bound.is_empty()
}
