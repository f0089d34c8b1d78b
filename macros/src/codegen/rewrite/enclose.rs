//! A `?` that becomes a `match` in a place where a `match` needs parentheses.

use syn::Expr;

/// Encloses a `?` or jump at the start of a statement or arm in parentheses. It becomes a `match` or block, at whose
/// end rustc would end the statement, unless a field or method follows.
pub(super) fn enclose_first(expr: &mut Expr) {
    let (first, is_operand) = match expr {
        Expr::Assign(expr) => (&mut *expr.left, true),
        Expr::Binary(expr) => (&mut *expr.left, true),
        Expr::Call(expr) => (&mut *expr.func, true),
        Expr::Cast(expr) => (&mut *expr.expr, true),
        Expr::Index(expr) => (&mut *expr.expr, true),
        Expr::Range(syn::ExprRange { start: Some(start), .. }) => (&mut **start, true),
        Expr::Field(expr) => (&mut *expr.base, false),
        Expr::MethodCall(expr) => (&mut *expr.receiver, false),
        _ => return,
    };
    if is_operand && becomes_block(first) {
        enclose(first);
    } else {
        enclose_first(first);
    }
}

/// Does the same before the `else` of a `let … else`, where no `}` may stand.
pub(in crate::codegen) fn enclose_last(expr: &mut Expr) {
    match expr {
        expr if becomes_block(expr) => enclose(expr),
        Expr::Assign(expr) => enclose_last(&mut expr.right),
        Expr::Binary(expr) => enclose_last(&mut expr.right),
        Expr::Range(syn::ExprRange { end: Some(end), .. }) => enclose_last(end),
        Expr::Reference(expr) => enclose_last(&mut expr.expr),
        Expr::Unary(expr) => enclose_last(&mut expr.expr),
        _ => {}
    }
}

fn becomes_block(expr: &Expr) -> bool {
    matches!(expr, Expr::Break(_) | Expr::Continue(_) | Expr::Return(_) | Expr::Try(_))
}

fn enclose(expr: &mut Expr) {
    let inner = Box::new(std::mem::replace(expr, Expr::PLACEHOLDER));
    let paren_token = Default::default();
    *expr = Expr::Paren(syn::ExprParen { attrs: Vec::new(), paren_token, expr: inner });
}
