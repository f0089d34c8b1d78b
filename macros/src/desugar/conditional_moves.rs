//! Branches without an await that assign a local and then move a part out of it.
//!
//! ```text
//! if late { order = reload(); send(order.lines); }
//! order.lines = load().await;
//! ```
//!
//! They are lowered like branches that await, because a copy of the part can only be made between the two
//! statements (see [`crate::flow::move_paths`]).

use syn::{Block, Expr, Pat, Stmt as Source};

use crate::collections::sets::Set;
use crate::ir::usage::Usage;
use crate::ir::{Arm, LocalId, Stmt};
use crate::lower::{Dest, Lower};
use crate::syntax::forms::extends_temporaries;
use crate::syntax::mentions::is_named;
use crate::syntax::patterns::{collect_bindings, split_type};
use crate::syntax::results::ends;

impl Lower<'_> {
    /// Lowers an `if`, `match` or block without an await, if a branch gives a local a value and moves a part out of it.
    /// Gives it back otherwise.
    pub(crate) fn part_ways(&mut self, expr: Expr, dest: Dest) -> Option<Expr> {
        if matches!(dest, Dest::Return) || !self.is_apart(&expr) {
            return Some(expr);
        }
        match expr {
            Expr::Block(expr) => self.block_apart(expr.block, dest),
            // What this binds is no local, so the branches join in the same segment.
            Expr::If(expr) => {
                let cond = self.opaque(*expr.cond);
                let then = self.body(|this| this.block_apart(expr.then_branch, dest));
                let otherwise = self.body(|this| match expr.else_branch {
                    Some((_, otherwise)) => this.branch_apart(*otherwise, dest),
                    None => this.finish_unit(dest, expr.if_token.span),
                });
                self.push(Stmt::If { cond, then, otherwise });
            }
            Expr::Match(expr) => {
                let scrutinee = self.opaque(*expr.expr);
                let arms = expr.arms.into_iter().map(|arm| {
                    let mut pat = arm.pat;
                    if let Pat::Guard(pat) = &mut pat {
                        let guard = std::mem::replace(&mut *pat.guard, Expr::PLACEHOLDER);
                        *pat.guard = self.opaque(guard);
                    }
                    Arm { pat, body: self.body(|this| this.branch_apart(*arm.body, dest)) }
                });
                let arms = arms.collect();
                self.push(Stmt::Match { scrutinee, arms });
            }
            expr => return Some(expr),
        }
        None
    }

    /// As [`part_ways`](Self::part_ways), for what `let` binds. Gives back what is left to be bound.
    pub(crate) fn part_local(&mut self, local: &syn::Local, value: Expr) -> Option<Expr> {
        if !self.is_apart(&value) || ends(&value).into_iter().any(extends_temporaries) {
            return Some(value);
        }
        let (pat, ty) = split_type(&local.pat);
        let bound = match pat {
            Pat::Ident(simple) if simple.by_ref.is_none() && simple.subpat.is_none() => {
                self.locals.find(&simple.ident)
            }
            _ => None,
        };
        let id = bound.unwrap_or_else(|| self.temporary(&value));
        self.locals[id].ty = ty.cloned();
        self.push(Stmt::Declare(id));
        self.value(value, Dest::Local(id));
        let path = self.path(id);
        // As a value, so that what the pattern does not bind ends with the statement.
        bound.is_none().then(|| syn::parse_quote!({ #path }))
    }

    pub(crate) fn is_apart(&self, expr: &Expr) -> bool {
        self.branch_parts_with(expr) && self.binds_its_own(expr)
    }

    fn branch_apart(&mut self, branch: Expr, dest: Dest) {
        match branch {
            Expr::Block(expr) if expr.label.is_none() && expr.attrs.is_empty() => {
                self.block_apart(expr.block, dest);
            }
            branch => self.value(branch, dest),
        }
    }

    fn block_apart(&mut self, block: Block, dest: Dest) {
        let body = self.body(|this| this.branch(block, dest));
        self.push(Stmt::Scope(body));
    }

    /// Whether a block without an await has statements of its own that must be taken apart.
    pub(crate) fn block_parts_with(&self, block: &Block) -> bool {
        let parts = |stmt: &Source| match stmt {
            Source::Local(local) => local.init.as_ref().is_some_and(|init| match &init.diverge {
                Some((_, otherwise)) => self.branch_parts_with(otherwise),
                None => self.branch_parts_with(&init.expr),
            }),
            Source::Expr(expr, _) => self.branch_parts_with(expr),
            Source::Item(_) | Source::Macro(_) => false,
        };
        (block.stmts.iter().any(parts) || self.is_emptied_in(block))
            && block.stmts.iter().all(|stmt| self.stmt_binds_its_own(stmt))
    }

    /// Whether a block may give a local a value and move a part out of that, and the local is used later.
    fn is_emptied_in(&self, block: &Block) -> bool {
        let mut given = Set::new();
        block.stmts.iter().any(|stmt| {
            let usage = Usage::of_stmt(&self.locals, stmt);
            let mut moved = usage.moves.iter().map(|place| place.local);
            let is_emptied = moved.any(|local| given.contains(&local) && self.is_needed(local));
            given.extend(usage.replaces);
            is_emptied
        })
    }

    /// Whether code that follows, perhaps in the next round of a loop, names a local.
    fn is_needed(&self, local: LocalId) -> bool {
        self.is_used_later(local) || self.jumps.iter().any(|scope| scope.is_loop())
    }

    /// Whether a block in an expression without an await must be taken apart.
    pub(crate) fn branch_parts_with(&self, branch: &Expr) -> bool {
        match branch {
            Expr::Block(expr) => {
                let is_plain = expr.label.is_none() && expr.attrs.is_empty();
                is_plain && self.block_parts_with(&expr.block)
            }
            Expr::If(expr) => {
                let otherwise = expr.else_branch.as_ref();
                self.block_parts_with(&expr.then_branch)
                    || otherwise.is_some_and(|(_, otherwise)| self.branch_parts_with(otherwise))
            }
            Expr::Match(expr) => expr.arms.iter().any(|arm| self.branch_parts_with(&arm.body)),
            _ => false,
        }
    }

    /// Whether the statements that follow, in this block and in those around it, name a local: what is
    /// used up has either not been moved, or is copied.
    pub(crate) fn is_used_later(&self, local: LocalId) -> bool {
        let ident = &self.locals[local].ident;
        self.rest.iter().flatten().any(|stmt| is_named(ident, stmt))
    }

    /// Whether what an expression without an await binds, and not in blocks that stay whole, is not
    /// called like a local.
    fn binds_its_own(&self, expr: &Expr) -> bool {
        match expr {
            Expr::If(expr) => {
                let pats = crate::syntax::patterns::let_patterns(&expr.cond);
                let otherwise = expr.else_branch.as_ref();
                pats.into_iter().all(|pat| self.is_own(pat))
                    && otherwise.is_none_or(|(_, otherwise)| self.binds_its_own(otherwise))
            }
            Expr::Match(expr) => {
                expr.arms.iter().all(|arm| self.is_own(&arm.pat) && self.binds_its_own(&arm.body))
            }
            _ => true,
        }
    }

    fn stmt_binds_its_own(&self, stmt: &Source) -> bool {
        match stmt {
            Source::Local(local) => self.is_own(&local.pat),
            Source::Item(_) => false,
            Source::Expr(..) | Source::Macro(_) => true,
        }
    }

    fn is_own(&self, pat: &Pat) -> bool {
        let mut idents = Vec::new();
        collect_bindings(pat, &mut idents);
        idents.iter().all(|ident| self.locals.find(ident).is_none())
    }
}
