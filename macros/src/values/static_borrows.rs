//! Values that are `'static` if they are borrows: parts of constants, such as `PLANS[i].name`, and results of functions
//! of this file that return `&'static str`.
//!
//! The macro does not know their types. If rustc infers such a value to be a `&str`, the value is saved as its text,
//! and decoded to the interned copy of the process.

use syn::{Expr, Pat, UnOp};

use super::borrowed_texts::may_borrow_text;
use super::runtime_calls::is_made;
use super::text_types::may_return_literal;
use crate::ir::Locals;
use crate::ir::usage::bound_locals;
use crate::syntax::calls::names_constant;
use crate::syntax::macros;
use crate::syntax::methods::returns_part;
use crate::syntax::patterns::split_type;
use crate::syntax::results::ends;

/// Whether the source shows that the value is `'static` if it is a borrow.
pub(crate) fn is_static(locals: &Locals, value: &Expr) -> bool {
    let is_static = |value: &Expr| is_static(locals, value);
    match value {
        Expr::Lit(_) => true,
        Expr::Paren(expr) => is_static(&expr.expr),
        Expr::Try(expr) => is_static(&expr.expr),
        Expr::Reference(expr) => is_static(&expr.expr),
        Expr::Field(expr) => is_static(&expr.base),
        Expr::Index(expr) => is_static(&expr.expr),
        Expr::Unary(expr) => matches!(expr.op, UnOp::Deref(_)) && is_static(&expr.expr),
        Expr::Path(path) => match locals.of_path(&path.path) {
            Some(local) => locals[local].saving.is_static,
            None => names_constant(&path.path),
        },
        Expr::Block(_) | Expr::If(_) | Expr::Match(_) | Expr::Loop(_) => {
            let ends = ends(value);
            !ends.is_empty() && ends.into_iter().all(is_static)
        }
        // The last argument of a generated call is the borrow.
        Expr::Call(call) if is_made(call) => call.args.last().is_some_and(is_static),
        Expr::Call(call) => match &*call.func {
            Expr::Path(path) => {
                path.path.segments.last().is_some_and(|last| may_return_literal(&last.ident))
            }
            _ => false,
        },
        Expr::MethodCall(call) if may_return_literal(&call.method) => true,
        Expr::MethodCall(call) => {
            // The default of `unwrap_or` and the like.
            let mut given = call.args.iter().filter(|_| !returns_part(call));
            let keeps = |arg: &Expr| {
                matches!(arg, Expr::Closure(_)) || is_static(arg) || !may_borrow_text(locals, arg)
            };
            is_static(&call.receiver) && given.all(keeps)
        }
        Expr::Macro(call) => macros::is_static(&call.mac),
        _ => false,
    }
}

/// Records which locals bound by `pat` are `'static`.
pub(crate) fn note(locals: &mut Locals, pat: &Pat, value: &Expr) {
    let pat = split_type(pat).0;
    if let (Pat::Tuple(pats), Expr::Tuple(values)) = (pat, value)
        && pats.elems.len() == values.elems.len()
        && !pats.elems.iter().any(|pat| matches!(pat, Pat::Rest(_)))
    {
        pats.elems.iter().zip(&values.elems).for_each(|(pat, value)| note(locals, pat, value));
        return;
    }
    if !is_static(locals, value) {
        return;
    }
    for local in bound_locals(locals, pat) {
        // A `mut` binding may be assigned another value.
        locals[local].saving.is_static |= !locals[local].mutable;
    }
}
