//! What the end of a block does with values that are held.

use syn::Expr;

use super::nodes::value_without_looks;
use crate::collections::sets::Set;
use crate::ir::locals::local_of;
use crate::ir::usage::Usage;
use crate::ir::{Block, BlockId, LocalId, LocalKind, Locals, Terminator};
use crate::syntax::conditions::chain;
use crate::syntax::patterns::binds_nothing;

/// What the end of a block may move or borrow.
pub(super) fn taken_at_end(locals: &Locals, block: &Block) -> Set<LocalId> {
    match &block.end {
        Terminator::If { cond, .. } => taken_by(locals, cond),
        Terminator::Match { scrutinee, arms, .. } => {
            let guards = arms.iter().filter_map(|(pat, _)| match pat {
                syn::Pat::Guard(pat) => Some(taken_by(locals, &pat.guard)),
                _ => None,
            });
            taken_by(locals, scrutinee).into_iter().chain(guards.flatten()).collect()
        }
        Terminator::Return(value) => taken_by(locals, value),
        _ => block.end_usage.mentions.clone(),
    }
}

/// What the operands of a condition take, perhaps of what those before them have bound.
pub(super) fn taken_in_chain(locals: &Locals, end: &Terminator) -> Set<LocalId> {
    let Terminator::If { cond, .. } = end else { return Set::new() };
    let taken = chain(cond).into_iter().map(|operand| match operand {
        Expr::Let(expr) => taken_by(locals, &expr.expr),
        operand => taken_by(locals, operand),
    });
    taken.flatten().collect()
}

/// What is matched, where an arm takes nothing of it.
pub(super) fn looked_at(locals: &Locals, end: &Terminator, arm: BlockId) -> Option<LocalId> {
    let Terminator::Match { scrutinee: scrutinee @ Expr::Path(_), arms, .. } = end else {
        return None;
    };
    let matched = local_of(locals, scrutinee)?;
    let is_in_guard = |pat: &syn::Pat| Usage::of_guard(locals, pat).mentions.contains(&matched);
    let looks = arms.iter().any(|(pat, block)| *block == arm && binds_nothing(pat))
        && !arms.iter().any(|(pat, _)| is_in_guard(pat));
    looks.then_some(matched)
}

/// The items of a loop where there are none left.
pub(super) fn exhausted(locals: &Locals, end: &Terminator, arm: BlockId) -> Option<LocalId> {
    let Terminator::Match { scrutinee: Expr::Call(call), arms, .. } = end else { return None };
    let Some(Expr::Reference(items)) = call.args.first() else { return None };
    let items = local_of(locals, &items.expr)?;
    let is_none = arms.iter().any(|(pat, to)| *to == arm && matches!(pat, syn::Pat::Path(_)));
    (locals[items].kind == LocalKind::Items && is_none).then_some(items)
}

pub(super) fn taken_by(locals: &Locals, expr: &Expr) -> Set<LocalId> {
    value_without_looks(locals, expr).mentions
}
