//! Checks of rematerialized constants. A constant with a `Cell` would lose the stored value.

use proc_macro2::TokenStream;
use quote::quote_spanned;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Expr, ExprPath};

use super::arm::Arm;
use crate::ir::LocalId;
use crate::syntax::calls::names_constant;

/// A check by rustc that the constants in an expression have no interior mutability: rustc promotes borrows only of such
/// constants. It is in the first of the segments that rematerialize the local.
pub(super) fn check(arm: Arm<'_>, local: LocalId, made: &Expr) -> Option<TokenStream> {
    let is_generic = !arm.machine.function.parameters.is_empty();
    let mut constants = Constants { found: Vec::new(), is_generic };
    constants.visit_expr(made);
    let is_first = || {
        let mut segments = arm.machine.layout.segments.iter();
        let first = segments.find(|segment| segment.rematerialized.contains(&local));
        first.is_some_and(|first| first.block == arm.segment.block)
    };
    if constants.found.is_empty() || !is_first() {
        return None;
    }
    let checks = constants.found.into_iter().map(|path| {
        let borrowed = quote_spanned!(path.span()=> &#path);
        quote_spanned!(path.span()=> const { #borrowed };)
    });
    let checks: TokenStream = checks.collect();
    Some(quote_spanned!(made.span()=> if false { #checks }))
}

struct Constants<'e> {
    found: Vec<&'e ExprPath>,
    /// Whether the type of an associated constant may depend on a parameter.
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
        // The arguments of a call are copies of the constant.
        if !matches!(expr, Expr::Closure(_) | Expr::Call(_) | Expr::MethodCall(_) | Expr::Macro(_))
        {
            visit::visit_expr(self, expr);
        }
    }
}
