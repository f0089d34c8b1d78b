//! Whether code names a local.

use proc_macro2::Ident;
use syn::visit::{self, Visit};
use syn::{Expr, Stmt as Source};

use super::macros;

/// Whether a statement names a local.
pub(crate) fn is_named(ident: &Ident, stmt: &Source) -> bool {
    let mut names = Names { wanted: ident.to_string(), found: false };
    names.visit_stmt(stmt);
    names.found
}

/// Searches for a name.
pub(crate) struct Names {
    wanted: String,
    found: bool,
}

impl Visit<'_> for Names {
    fn visit_expr(&mut self, expr: &Expr) {
        if !self.found {
            visit::visit_expr(self, expr);
        }
    }

    fn visit_ident(&mut self, ident: &proc_macro2::Ident) {
        self.found |= *ident == self.wanted;
    }

    fn visit_macro(&mut self, mac: &syn::Macro) {
        macros::scan_names(&mac.tokens, &mut |name| self.found |= name == self.wanted);
    }
}
