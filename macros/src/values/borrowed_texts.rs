//! Values that may contain borrowed texts.

use syn::{Expr, UnOp};

use super::shapes::is_wrapper;
use super::static_borrows;
use crate::ir::Locals;
use crate::syntax::macros;
use crate::syntax::names::is_any_of;
use crate::syntax::results::ends;
use crate::syntax::suspend::awaiting;

/// Methods that return owned values.
const OWNING: [&str; 16] = [
    "clone",
    "cloned",
    "contains",
    "copied",
    "count",
    "drain",
    "into_iter",
    "is_empty",
    "is_none",
    "is_some",
    "len",
    "pop",
    "remove",
    "sum",
    "to_owned",
    "to_string",
];

/// Whether the value may be or contain a borrowed `&str`, as far as the source shows.
pub(crate) fn may_borrow_text(locals: &Locals, expr: &Expr) -> bool {
    let may_borrow_text = |expr: &Expr| may_borrow_text(locals, expr);
    match expr {
        Expr::Paren(expr) => may_borrow_text(&expr.expr),
        Expr::Try(expr) => may_borrow_text(&expr.expr),
        Expr::Block(_) | Expr::If(_) | Expr::Match(_) | Expr::Loop(_) => {
            ends(expr).into_iter().any(may_borrow_text)
        }
        Expr::Reference(expr) => expr.mutability.is_none(),
        Expr::Tuple(expr) => expr.elems.iter().any(may_borrow_text),
        Expr::Array(expr) => expr.elems.iter().any(may_borrow_text),
        Expr::Unary(expr) => {
            matches!(expr.op, UnOp::Deref(_)) && static_borrows::is_static(locals, &expr.expr)
        }
        // The base may not own its parts.
        Expr::Index(_) | Expr::Field(_) => true,
        // The value of an unknown macro.
        Expr::Macro(call) => !macros::is_known(&call.mac) && awaiting(&call.mac).is_none(),
        Expr::Path(path) => {
            let local = locals.of_path(&path.path);
            local.is_none_or(|local| locals[local].saving.may_be_text)
        }
        Expr::MethodCall(call) => {
            let owns = is_any_of(&call.method, &OWNING);
            !owns && !matches!(*call.receiver, Expr::Await(_))
        }
        Expr::Call(call) => match &*call.func {
            // `String::from(…)`, `Line { … }`
            Expr::Path(path) => match path.path.segments.iter().rev().nth(1) {
                // `BTreeMap::from([("a", 1)])` may contain texts.
                Some(_) if matches!(call.args.first(), Some(Expr::Array(_))) => true,
                Some(ty) => {
                    ty.ident.to_string().starts_with(char::is_lowercase)
                        || static_borrows::is_static(locals, expr)
                }
                None if is_wrapper(&call.func) => call.args.iter().any(may_borrow_text),
                None => path.path.segments[0].ident.to_string().starts_with(char::is_lowercase),
            },
            _ => true,
        },
        _ => false,
    }
}
