//! Constants that are evaluated again. A constant with a `Cell` would have its initial value again, whatever was
//! stored in it.

use proc_macro2::TokenStream;
use quote::quote_spanned;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Expr, ExprPath};

use super::printer::Printer;
use crate::ir::LocalId;
use crate::syntax::calls::names_constant;

impl Printer<'_> {
    /// Has rustc refuse constants with such a part in the first of the segments in which a local is made again of them.
    /// It promotes borrows only of what nothing can change.
    pub(super) fn check_constants(&self, local: LocalId, made: &Expr) -> Option<TokenStream> {
        let is_generic = !self.machine.function.parameters.is_empty();
        let mut constants = Constants { found: Vec::new(), is_generic };
        constants.visit_expr(made);
        let is_made_again = || {
            let mut segments = self.machine.layout.segments.iter();
            let first = segments.find(|segment| segment.remade.contains(&local));
            first.is_some_and(|first| first.block == self.segment.block)
        };
        if constants.found.is_empty() || !is_made_again() {
            return None;
        }
        let checks = constants.found.into_iter().map(|path| {
            let borrowed = quote_spanned!(path.span()=> &#path);
            quote_spanned!(path.span()=> const { #borrowed };)
        });
        let checks: TokenStream = checks.collect();
        Some(quote_spanned!(made.span()=> if false { #checks }))
    }
}

struct Constants<'e> {
    found: Vec<&'e ExprPath>,
    /// Whether of what type a constant of a type is may not be known.
    is_generic: bool,
}

impl<'e> Visit<'e> for Constants<'e> {
    fn visit_expr_path(&mut self, path: &'e ExprPath) {
        let mut around = path.path.segments.iter().rev().skip(1);
        let is_module = |name: String| name.starts_with(char::is_lowercase);
        let is_known = !self.is_generic
            || path.qself.is_none() && around.all(|part| is_module(part.ident.to_string()));
        if is_known && names_constant(&path.path) {
            self.found.push(path);
        }
    }

    fn visit_expr(&mut self, expr: &'e Expr) {
        // What a closure or function is given is a value of its own each time.
        if !matches!(expr, Expr::Closure(_) | Expr::Call(_) | Expr::MethodCall(_) | Expr::Macro(_))
        {
            visit::visit_expr(self, expr);
        }
    }
}
