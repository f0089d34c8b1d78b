//! Facts that the form of an expression shows.

use syn::Expr;

use crate::lower::Lower;
use crate::syntax::forms::is_plain_literal;
use crate::syntax::operators::is_sign;

/// Whether the expression means the same at any time: literals, and paths that are not locals.
pub(crate) fn is_constant(lower: &Lower<'_>, expr: &Expr) -> bool {
    match expr {
        Expr::Lit(_) | Expr::Closure(_) => true,
        Expr::Path(path) => {
            path.path.get_ident().is_none_or(|ident| lower.locals.find(ident).is_none())
        }
        Expr::Verbatim(_) => true,
        Expr::Paren(expr) => is_constant(lower, &expr.expr),
        Expr::Group(expr) => is_constant(lower, &expr.expr),
        Expr::Reference(expr) => is_constant(lower, &expr.expr),
        Expr::Cast(expr) => is_constant(lower, &expr.expr),
        Expr::Unary(expr) => is_sign(expr.op) && is_plain_literal(&expr.expr),
        Expr::Tuple(expr) => expr.elems.iter().all(|elem| is_constant(lower, elem)),
        _ => false,
    }
}
