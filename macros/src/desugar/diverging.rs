//! Code that must not come to its end: the `else` of a `let`, where that awaits.
//!
//! rustc sees only the pieces of such a block. Each of them that could come to the end of it uses what was
//! never given a value, which rustc refuses where control may come to it.

use proc_macro2::Span;

use crate::ir::{Body, Stmt};
use crate::syntax::divergence::always as always_jumps;

/// Has rustc refuse the block if it may come to its end, which it says of `at`.
pub(crate) fn must_jump(body: &mut Body, at: Span) {
    match body.stmts.last_mut() {
        Some(Stmt::Scope(inner)) => must_jump(inner, at),
        Some(Stmt::If { then, otherwise, .. }) => {
            must_jump(then, at);
            must_jump(otherwise, at);
        }
        Some(Stmt::Match { arms, .. }) => {
            arms.iter_mut().for_each(|arm| must_jump(&mut arm.body, at));
        }
        Some(Stmt::Select { arms, otherwise, .. }) => {
            let bodies = arms.iter_mut().map(|arm| &mut arm.body).chain(otherwise);
            bodies.for_each(|body| must_jump(body, at));
        }
        Some(Stmt::Break(_) | Stmt::Continue(_) | Stmt::Return(_)) => {}
        // What leaves them goes on behind them, and what does not goes nowhere.
        Some(Stmt::Loop { .. } | Stmt::Labeled { .. }) => {}
        Some(Stmt::Code(stmt)) if always_jumps(stmt) => {}
        _ => {
            body.stmts.push(Stmt::Code(syn::parse_quote_spanned! {at=>
                {
                    let else_must_diverge: ::core::convert::Infallible;
                    match else_must_diverge {}
                }
            }));
        }
    }
}
