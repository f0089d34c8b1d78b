//! Conditions, which may be chains of operands joined by `&&`.

use syn::{BinOp, Expr, ExprBinary};

/// The operands of a chain of `&&`.
pub(crate) fn chain(cond: &Expr) -> Vec<&Expr> {
    match cond {
        Expr::Binary(ExprBinary { left, op: BinOp::And(_), right, .. }) => {
            let mut operands = chain(left);
            operands.extend(chain(right));
            operands
        }
        cond => vec![cond],
    }
}
