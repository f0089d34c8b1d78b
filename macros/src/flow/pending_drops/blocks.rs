//! Statements, conditions and the values that blocks and loops are left with.

use syn::{Block, Expr, Label, Lifetime, Pat, Stmt};

use super::jump_dest;
use super::values::{Bound, Values};
use crate::ir::label_target;
use crate::ir::usage::Jump;
use crate::syntax::conditions::chain;

/// What a `break` may leave.
pub(super) struct Target {
    label: Option<String>,
    is_loop: bool,
    /// Whether what it has been given holds no borrow.
    owned: bool,
}

impl Values<'_> {
    /// Goes through a statement.
    pub(super) fn stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Local(local) => {
                let init = local.init.as_ref();
                let bound = init.map_or_else(Bound::default, |init| self.bound(&init.expr));
                if let Some((_, diverge)) = init.and_then(|init| init.diverge.as_ref()) {
                    self.run(diverge);
                }
                // What has no value yet is its own until it is given one.
                let owned = bound.owned || init.is_none();
                self.inner.bind(&local.pat, &Bound { owned, ..bound });
            }
            Stmt::Expr(expr, _) => self.run(expr),
            Stmt::Macro(call) => {
                self.mac(&call.mac);
            }
            Stmt::Item(_) => {}
        }
    }

    /// Goes through a condition, and gives what it binds to `bind`.
    pub(super) fn cond<'e>(
        &mut self,
        cond: &'e Expr,
        bind: &mut impl FnMut(&mut Self, &'e Pat, &Bound),
    ) {
        for operand in chain(cond) {
            match operand {
                Expr::Let(expr) => {
                    let bound = self.bound(&expr.expr);
                    bind(self, &expr.pat, &bound);
                }
                operand => self.run(operand),
            }
        }
    }

    /// Binds what a pattern of the code itself binds.
    pub(super) fn bind(&mut self, pat: &Pat, bound: &Bound) {
        self.inner.bind(pat, bound);
    }

    /// Runs `visit` in a scope of its own, which a `break` may leave with a value.
    pub(super) fn target(
        &mut self,
        label: Option<&Label>,
        is_loop: bool,
        visit: impl FnOnce(&mut Self) -> bool,
    ) -> bool {
        let label = label.map(|label| label.name.ident.to_string());
        self.targets.push(Target { label, is_loop, owned: true });
        let owned = self.scoped(visit);
        self.targets.pop().is_none_or(|target| target.owned) && owned
    }

    pub(super) fn give(&mut self, label: Option<&Lifetime>, owned: bool) {
        let is_target = |target: &&mut Target| match label {
            Some(label) => target.label.as_ref().is_some_and(|name| label.ident == name),
            None => target.is_loop,
        };
        if let Some(target) = self.targets.iter_mut().rev().find(is_target) {
            target.owned &= owned;
        } else if let Some(target) = label.and_then(label_target).filter(|_| !owned) {
            self.borrowing.locals.extend(jump_dest(self.graph, Jump::Break(target)));
        }
    }

    /// Goes through the statements of a block. Whether its value holds no borrow.
    pub(super) fn block(&mut self, block: &Block) -> bool {
        self.scoped(|this| {
            let Some((last, before)) = block.stmts.split_last() else { return true };
            before.iter().for_each(|stmt| this.stmt(stmt));
            match last {
                Stmt::Expr(value, None) => this.value(value),
                Stmt::Macro(call) if call.semi_token.is_none() => this.mac(&call.mac),
                last => {
                    this.stmt(last);
                    true
                }
            }
        })
    }

    /// Runs `visit` in a scope of its own.
    pub(super) fn scoped<T>(&mut self, visit: impl FnOnce(&mut Self) -> T) -> T {
        let count = self.inner.count();
        let value = visit(self);
        self.inner.truncate(count);
        value
    }
}
