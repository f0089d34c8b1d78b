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
use syn::{Expr, Stmt};

use crate::syntax::divergence::{always_within, in_block};
use crate::syntax::patterns::split_type;
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
            if suspend::block(&expr.then_branch) && in_block(&expr.then_branch) {
                conditions.extend(quote!(else #cond));
            }
            let Some((_, otherwise)) = &expr.else_branch else { return };
            if suspend::expr(otherwise) && always_within(otherwise) {
                conditions.extend(quote!(if #cond));
            } else {
                add(otherwise, conditions);
            }
        }
        Expr::Match(expr) => {
            let leaves = |arm: &&syn::Arm| suspend::expr(&arm.body) && always_within(&arm.body);
            let left = expr.arms.iter().filter(leaves).map(|arm| &arm.pat);
            let left: Vec<_> = left.collect();
            if !left.is_empty() {
                let value = &expr.expr;
                conditions.extend(quote!(else #value #(#left)|*));
            }
        }
        _ => {}
    }
}
