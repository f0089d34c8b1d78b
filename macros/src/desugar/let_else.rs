//! `let … else` with an await in the `else` block, which must diverge.
//!
//! The `else` block is split into several arms, so rustc cannot check it as a whole. Instead, each path to the end of the
//! block uses an uninitialized variable there, which rustc refuses if the end is reachable.

use proc_macro2::Span;

use crate::ir::{Body, Stmt};
use crate::syntax::divergence::always as always_jumps;

/// Makes rustc refuse a block whose end is reachable, with an error at `at`.
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
        // A `break` of the loop continues after it. A loop without one diverges.
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
