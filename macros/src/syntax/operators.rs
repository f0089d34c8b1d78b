//! Kinds of operators.

use syn::{BinOp, Expr, UnOp};

/// Whether the operator on a literal gives a literal. On a constant, it may call a function.
pub(crate) fn is_sign(op: UnOp) -> bool {
    matches!(op, UnOp::Neg(_) | UnOp::Not(_))
}

/// Whether the operator may leave its right operand unevaluated.
pub(crate) fn is_lazy(op: &BinOp) -> bool {
    matches!(op, BinOp::And(_) | BinOp::Or(_))
}

pub(crate) fn is_comparison(op: &BinOp) -> bool {
    matches!(
        op,
        BinOp::Eq(_) | BinOp::Ne(_) | BinOp::Lt(_) | BinOp::Le(_) | BinOp::Gt(_) | BinOp::Ge(_)
    )
}

pub(crate) fn is_assignment(op: &BinOp) -> bool {
    matches!(
        op,
        BinOp::AddAssign(_)
            | BinOp::SubAssign(_)
            | BinOp::MulAssign(_)
            | BinOp::DivAssign(_)
            | BinOp::RemAssign(_)
            | BinOp::BitXorAssign(_)
            | BinOp::BitAndAssign(_)
            | BinOp::BitOrAssign(_)
            | BinOp::ShlAssign(_)
            | BinOp::ShrAssign(_)
    )
}

/// Whether the source shows that a compound assignment evaluates its place before its value.
pub(crate) fn place_is_first(op: &BinOp, place: &Expr, value: &Expr) -> bool {
    is_assignment(op) && is_borrow(value) && is_element(place)
}

pub(crate) fn is_borrow(expr: &Expr) -> bool {
    match expr {
        Expr::Reference(_) => true,
        Expr::Paren(expr) => is_borrow(&expr.expr),
        _ => false,
    }
}

/// Whether the expression is an element of a place, or a projection of one.
pub(crate) fn is_element(expr: &Expr) -> bool {
    fn is_place(expr: &Expr) -> bool {
        match expr {
            Expr::Path(_) => true,
            Expr::Index(expr) => is_place(&expr.expr),
            Expr::Field(expr) => is_place(&expr.base),
            Expr::Paren(expr) => is_place(&expr.expr),
            _ => false,
        }
    }
    match expr {
        Expr::Index(expr) => is_place(&expr.expr),
        Expr::Field(expr) => is_element(&expr.base),
        Expr::Paren(expr) => is_element(&expr.expr),
        _ => false,
    }
}
