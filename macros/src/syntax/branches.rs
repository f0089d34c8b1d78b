//! Suspension points in the branches of an expression.

use syn::{Expr, Pat};

use super::suspend;

/// Whether a branch awaits, and not only what says which of them it is.
pub(crate) fn awaits_in_branch(value: &Expr) -> bool {
    match value {
        Expr::If(expr) => branches_await(expr),
        Expr::Match(expr) => arms_await(expr),
        Expr::Loop(expr) => suspend::block(&expr.body),
        Expr::Block(expr) => expr.label.is_some() && suspend::block(&expr.block),
        _ => false,
    }
}

pub(crate) fn branches_await(expr: &syn::ExprIf) -> bool {
    let otherwise = expr.else_branch.as_ref();
    suspend::block(&expr.then_branch) || otherwise.is_some_and(|(_, expr)| suspend::expr(expr))
}

pub(crate) fn arms_await(expr: &syn::ExprMatch) -> bool {
    expr.arms.iter().any(|arm| awaits(arm) || suspend::expr(&arm.body))
}

/// Whether the arm has a guard that awaits.
pub(crate) fn awaits(arm: &syn::Arm) -> bool {
    matches!(&arm.pat, Pat::Guard(pat) if suspend::expr(&pat.guard))
}
