//! Statements that may leave their block early after an await. The code behind such a statement counts as inside of its
//! `else`.
//!
//! ```text
//! if rich { approval().await; return; }      approval().await is in `if rich`
//! approval().await;                          this one is in `else rich`
//! ```
//!
//! If the condition is inverted and the two awaits change places, both of them have changed, and a run that is parked at
//! one of them is blocked. Otherwise only one of them would have changed, and the run would continue at the other one.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Block, Expr, Stmt};

use crate::syntax::divergence::{always_within, in_block};
use crate::syntax::patterns::split_type;
use crate::syntax::results::is_left_by;
use crate::syntax::suspend;

/// The conditions that hold behind a statement because it awaits, and leaves the block, if they do not.
pub(super) fn conditions_behind(stmt: &Stmt) -> Option<TokenStream> {
    let mut conditions = TokenStream::new();
    match stmt {
        Stmt::Expr(expr, _) => add(expr, &mut conditions),
        Stmt::Local(local) => {
            let init = local.init.as_ref()?;
            add(&init.expr, &mut conditions);
            if let Some((_, otherwise)) = &init.diverge
                && suspend::expr(otherwise)
            {
                let ((pat, _), value) = (split_type(&local.pat), &init.expr);
                conditions.extend(quote!(if let #pat = #value));
            }
        }
        Stmt::Item(_) | Stmt::Macro(_) => {}
    }
    (!conditions.is_empty()).then_some(conditions)
}

fn add(expr: &Expr, conditions: &mut TokenStream) {
    match expr {
        Expr::Paren(expr) => add(&expr.expr, conditions),
        Expr::If(expr) => {
            let cond = &expr.cond;
            if suspend::block(&expr.then_branch) {
                match leaves_block(&expr.then_branch) {
                    true => conditions.extend(quote!(else #cond)),
                    false => add_within(&expr.then_branch, &quote!(if #cond), conditions),
                }
            }
            let Some((_, otherwise)) = &expr.else_branch else { return };
            if suspend::expr(otherwise) && leaves(otherwise) {
                conditions.extend(quote!(if #cond));
            } else {
                add(otherwise, conditions);
            }
        }
        Expr::Block(expr) => add_within(&expr.block, &TokenStream::new(), conditions),
        Expr::Match(expr) => {
            let is_left = |arm: &&syn::Arm| suspend::expr(&arm.body) && leaves(&arm.body);
            let left = expr.arms.iter().filter(is_left).map(|arm| &arm.pat);
            let left: Vec<_> = left.collect();
            if !left.is_empty() {
                let value = &expr.expr;
                conditions.extend(quote!(else #value #(#left)|*));
            }
        }
        _ => {}
    }
}

/// Adds the conditions behind the statements of a block that is reached under this condition.
fn add_within(block: &Block, cond: &TokenStream, conditions: &mut TokenStream) {
    for inner in block.stmts.iter().filter_map(conditions_behind) {
        conditions.extend(quote!(#cond { #inner }));
    }
}

/// Whether an expression leaves the block, also by an error: `Err(…)?`, `bail!(…)`.
fn leaves(expr: &Expr) -> bool {
    match expr {
        Expr::Block(expr) if expr.label.is_none() => leaves_block(&expr.block),
        Expr::Try(expr) => is_error(&expr.expr),
        Expr::Macro(expr) => is_left_by(&expr.mac),
        expr => always_within(expr),
    }
}

fn leaves_block(block: &Block) -> bool {
    in_block(block)
        || block.stmts.iter().any(|stmt| match stmt {
            Stmt::Expr(expr, _) => leaves(expr),
            Stmt::Macro(stmt) => is_left_by(&stmt.mac),
            Stmt::Local(_) | Stmt::Item(_) => false,
        })
}

/// Whether it is written as `Err(…)`.
fn is_error(expr: &Expr) -> bool {
    let Expr::Call(call) = expr else { return false };
    let Expr::Path(function) = &*call.func else { return false };
    function.path.segments.last().is_some_and(|name| name.ident == "Err")
}
