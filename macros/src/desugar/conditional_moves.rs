//! Branches without an await, of which some move a local and others do not.
//!
//! Where they meet only rustc knows, at run time, whether it is still there. So they are taken apart as
//! those that await are: a branch that has the local hands it on at its own end, as `carried` says.
//! And so are those that give a local a value and move a part out of that: only between the two is
//! there something that a copy can be made of (see [`crate::flow::move_paths`]).

use syn::{Block, Expr, Pat, Stmt as Source, UnOp};

use crate::collections::sets::Set;
use crate::ir::usage::Usage;
use crate::ir::{Arm, LocalId, Stmt};
use crate::lower::{Dest, Lower};
use crate::syntax::forms::extends_temporaries;
use crate::syntax::mentions::is_named;
use crate::syntax::operators::is_lazy;
use crate::syntax::patterns::{collect_bindings, split_type};
use crate::syntax::results::ends;

impl Lower<'_> {
    /// Lowers an `if`, `match` or block without an await, if it moves a local in some of its branches only.
    /// Gives it back otherwise.
    pub(crate) fn part_ways(&mut self, expr: Expr, dest: Dest) -> Option<Expr> {
        if matches!(dest, Dest::Return) || !self.is_apart(&expr) {
            return Some(expr);
        }
        match expr {
            Expr::Block(expr) => self.block_apart(expr.block, dest),
            // What this binds is no local, so the branches meet in the same root.
            Expr::If(expr) => {
                let cond = self.condition_apart(*expr.cond);
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

    /// Lowers a condition without an await. Gives what is left to be looked at.
    pub(crate) fn condition_apart(&mut self, cond: Expr) -> Expr {
        if !self.is_condition_apart(&cond) {
            return self.opaque(cond);
        }
        match cond {
            Expr::Paren(expr) => self.condition_apart(*expr.expr),
            Expr::Unary(expr) => {
                let inner = Box::new(self.condition_apart(*expr.expr));
                Expr::Unary(syn::ExprUnary { expr: inner, ..expr })
            }
            Expr::Binary(expr) => {
                let left = self.condition_apart(*expr.left);
                self.short_circuit(&expr.op, left, *expr.right)
            }
            cond => self.opaque(cond),
        }
    }

    /// Whether an operand moves a local that is still there if the operand is not evaluated.
    fn is_condition_apart(&self, cond: &Expr) -> bool {
        match cond {
            Expr::Paren(expr) => self.is_condition_apart(&expr.expr),
            Expr::Unary(expr) => {
                matches!(expr.op, UnOp::Not(_)) && self.is_condition_apart(&expr.expr)
            }
            Expr::Binary(expr) if is_lazy(&expr.op) => {
                let taken = self.taken(&expr.right);
                crate::syntax::patterns::let_patterns(cond).is_empty()
                    && (taken.iter().any(|local| !self.is_used_later(*local))
                        || self.is_condition_apart(&expr.left))
            }
            _ => false,
        }
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
                Some((_, otherwise)) => self.parts_with_otherwise(otherwise),
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

    /// Whether some branches move a local that others keep, and nothing behind them uses.
    fn parts_with(&self, expr: &Expr) -> bool {
        let branches: Vec<Set<LocalId>> = match expr {
            Expr::If(expr) => {
                let then = expr.then_branch.stmts.iter();
                let otherwise = expr.else_branch.as_ref().map(|(_, otherwise)| &**otherwise);
                let then = then.flat_map(|stmt| Usage::of_stmt(&self.locals, stmt).takes);
                vec![then.collect(), otherwise.map(|expr| self.taken(expr)).unwrap_or_default()]
            }
            Expr::Match(expr) => expr.arms.iter().map(|arm| self.taken(&arm.body)).collect(),
            _ => return false,
        };
        let all = branches.iter().flatten().copied();
        let differs = |local: &LocalId| branches.iter().any(|branch| !branch.contains(local));
        let is_over = |local: &LocalId| !self.is_used_later(*local);
        all.collect::<Set<_>>().iter().any(|local| differs(local) && is_over(local))
            || match expr {
                Expr::If(expr) => {
                    let otherwise = expr.else_branch.as_ref().map(|(_, otherwise)| otherwise);
                    self.is_condition_apart(&expr.cond)
                        || self.block_parts_with(&expr.then_branch)
                        || otherwise.is_some_and(|expr| self.branch_parts_with(expr))
                }
                Expr::Match(expr) => expr.arms.iter().any(|arm| self.branch_parts_with(&arm.body)),
                _ => false,
            }
    }

    fn branch_parts_with(&self, branch: &Expr) -> bool {
        match branch {
            Expr::Block(expr) => {
                let is_plain = expr.label.is_none() && expr.attrs.is_empty();
                is_plain && self.block_parts_with(&expr.block)
            }
            branch => self.parts_with(branch),
        }
    }

    /// Whether the `else` of a `let` moves a local that is there behind the statement, where nothing uses it.
    pub(crate) fn parts_with_otherwise(&self, otherwise: &Expr) -> bool {
        self.taken(otherwise).iter().any(|local| !self.is_used_later(*local))
            || self.branch_parts_with(otherwise)
    }

    fn taken(&self, branch: &Expr) -> Set<LocalId> {
        Usage::of_expr(&self.locals, branch).takes
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
