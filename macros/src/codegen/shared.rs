//! Shared access through borrows in several branches at the same time.
//!
//! ```text
//! let line = &mut order.lines[0];
//! let line = ::piton::__private::lender(&mut counts).get_mut(&key)
//! ```
//!
//! Each branch evaluates them itself, so they must not be mutable. rustc has checked that none of the branches
//! changes anything through them.

use proc_macro2::Ident;
use syn::visit_mut::{self, VisitMut};
use syn::{Expr, ExprClosure, ExprMethodCall, ExprReference, PatIdent, Type, TypeReference};

/// The same, made only to be looked through.
pub(super) fn made(mut made: Expr) -> Expr {
    Shared.visit_expr_mut(&mut made);
    made
}

/// What a pattern binds, made so that `shared` is only looked through. The rest may be changed, as long as the
/// pattern is matched against a place, and not against a borrow of one.
pub(super) fn made_beside(mut group: Expr, shared: &[&Ident]) -> Expr {
    let mut bindings = Bindings { shared, lends: false };
    let before = group.clone();
    bindings.visit_expr_mut(&mut group);
    if bindings.lends { made(before) } else { group }
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

/// Bindings of a pattern.
struct Bindings<'a> {
    shared: &'a [&'a Ident],
    /// Whether what is matched is lent to be changed.
    lends: bool,
}

impl VisitMut for Bindings<'_> {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        self.lends |= match &*expr {
            Expr::Reference(reference) => reference.mutability.is_some(),
            Expr::MethodCall(call) => call.method.to_string().ends_with("_mut"),
            expr => lent(expr).is_some(),
        };
        visit_mut::visit_expr_mut(self, expr);
    }

    fn visit_pat_ident_mut(&mut self, pat: &mut PatIdent) {
        visit_mut::visit_pat_ident_mut(self, pat);
        if pat.by_ref.is_some() && self.shared.contains(&&pat.ident) {
            pat.mutability = None;
        }
    }
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
