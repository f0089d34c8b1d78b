//! Borrows that several branches look through at the same time.
//!
//! ```text
//! let line = &mut order.lines[0];
//! let line = ::piton::__private::lender(&mut counts).get_mut(&key)
//! ```
//!
//! Each branch makes them for itself, so that they must not be mutable ones: rustc has seen to it that none
//! of the branches changes anything through them.

use proc_macro2::Ident;
use syn::visit_mut::{self, VisitMut};
use syn::{Expr, ExprClosure, ExprMethodCall, ExprReference, PatIdent, Type, TypeReference};

/// The same, made only to be looked through.
pub(super) fn made(mut made: Expr) -> Expr {
    Shared.visit_expr_mut(&mut made);
    made
}

/// The type of what is made so.
pub(super) fn type_of(mut ty: Type) -> Type {
    Shared.visit_type_mut(&mut ty);
    ty
}

struct Shared;

impl VisitMut for Shared {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        visit_mut::visit_expr_mut(self, expr);
        if let Some(lent) = lent(expr) {
            *expr = syn::parse_quote!((#lent));
        }
    }

    fn visit_expr_reference_mut(&mut self, expr: &mut ExprReference) {
        visit_mut::visit_expr_reference_mut(self, expr);
        expr.mutability = None;
    }

    fn visit_expr_method_call_mut(&mut self, call: &mut ExprMethodCall) {
        visit_mut::visit_expr_method_call_mut(self, call);
        let method = call.method.to_string();
        let shared = match method.as_str() {
            "as_mut" => "as_ref",
            method => method.strip_suffix("_mut").unwrap_or(method),
        };
        call.method = Ident::new(shared, call.method.span());
    }

    fn visit_pat_ident_mut(&mut self, pat: &mut PatIdent) {
        visit_mut::visit_pat_ident_mut(self, pat);
        if pat.by_ref.is_some() {
            pat.mutability = None;
        }
    }

    fn visit_type_reference_mut(&mut self, ty: &mut TypeReference) {
        visit_mut::visit_type_reference_mut(self, ty);
        ty.mutability = None;
    }

    // What it is given it only looks at.
    fn visit_expr_closure_mut(&mut self, _: &mut ExprClosure) {}
}

/// What is lent to be changed.
fn lent(expr: &Expr) -> Option<&Expr> {
    let Expr::Call(call) = expr else { return None };
    let Expr::Path(function) = &*call.func else { return None };
    let mut names = function.path.segments.iter().rev().map(|segment| &segment.ident);
    let is_ours = names.next().is_some_and(|name| name == "lender")
        && names.next().is_some_and(|name| name == "__private");
    call.args.first().filter(|_| is_ours)
}
