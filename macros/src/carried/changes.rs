//! What code that names several locals may put into those that it changes.
//!
//! It is gone through statement by statement: what is assigned, or given to a method, shows whether it
//! holds a borrow. Where that cannot be seen, it is taken for one of what else the code names.

use std::collections::BTreeSet;

use syn::{BinOp, Block, Expr, Pat, Stmt};

use super::owned::{Values, has_ref, local_of};
use crate::ir::{Graph, LocalId, label_target};
use crate::normalize::collect_bindings;
use crate::usage::{Jump, Usage};

pub(super) struct Changes<'a> {
    graph: &'a Graph,
    borrowing: &'a mut BTreeSet<LocalId>,
    /// The bindings of the code itself, and whether their values hold no borrow of a local.
    inner: Vec<(String, bool)>,
}

impl<'a> Changes<'a> {
    /// Adds the locals that may hold a borrow when the statement is through.
    pub(super) fn find(graph: &'a Graph, borrowing: &'a mut BTreeSet<LocalId>, stmt: &Stmt) {
        Self { graph, borrowing, inner: Vec::new() }.stmt(stmt);
    }

    /// As [`find`](Self::find), for an expression.
    pub(super) fn find_in(graph: &'a Graph, borrowing: &'a mut BTreeSet<LocalId>, expr: &Expr) {
        Self { graph, borrowing, inner: Vec::new() }.expr(expr);
    }

    fn owns(&self, expr: &Expr) -> bool {
        let Self { graph, borrowing, inner } = self;
        Values { locals: &graph.locals, borrowing, inner, outlive_temporaries: false }.own(expr)
    }

    fn block(&mut self, block: &Block) {
        self.scoped(|this| block.stmts.iter().for_each(|stmt| this.stmt(stmt)));
    }

    /// Runs `visit` in a scope of its own.
    fn scoped(&mut self, visit: impl FnOnce(&mut Self)) {
        let count = self.inner.len();
        visit(self);
        self.inner.truncate(count);
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Local(local) => {
                let mut owned = false;
                if let Some(init) = &local.init {
                    owned = self.bound(&init.expr);
                    init.diverge.iter().for_each(|(_, diverge)| self.expr(diverge));
                }
                self.bind(&local.pat, owned);
            }
            Stmt::Expr(expr, _) => self.expr(expr),
            Stmt::Macro(call) => {
                let (attrs, mac) = (Vec::new(), call.mac.clone());
                self.unseen(&Expr::Macro(syn::ExprMacro { attrs, mac }));
            }
            Stmt::Item(_) => {}
        }
    }

    fn expr(&mut self, expr: &Expr) {
        match expr {
            Expr::Paren(expr) => self.expr(&expr.expr),
            Expr::Group(expr) => self.expr(&expr.expr),
            Expr::Block(expr) => self.block(&expr.block),
            Expr::Loop(expr) => self.block(&expr.body),
            Expr::If(expr) => {
                self.scoped(|this| {
                    this.cond(&expr.cond);
                    this.block(&expr.then_branch);
                });
                expr.else_branch.iter().for_each(|(_, otherwise)| self.expr(otherwise));
            }
            Expr::While(expr) => self.scoped(|this| {
                this.cond(&expr.cond);
                this.block(&expr.body);
            }),
            Expr::Match(expr) => {
                let owned = self.bound(&expr.expr);
                for arm in &expr.arms {
                    self.scoped(|this| {
                        this.bind(&arm.pat, owned);
                        if let Pat::Guard(pat) = &arm.pat {
                            this.cond(&pat.guard);
                        }
                        this.expr(&arm.body);
                    });
                }
            }
            Expr::ForLoop(expr) => {
                let owned = self.bound(&expr.expr);
                self.scoped(|this| {
                    this.bind(&expr.pat, owned);
                    this.block(&expr.body);
                });
            }
            Expr::Assign(assign)
                if let Some(local) = local_of(&self.graph.locals, &assign.left) =>
            {
                if !self.owns(&assign.right) {
                    self.borrowing.insert(local);
                }
                self.expr(&assign.right);
            }
            // What it is given is its own.
            Expr::MethodCall(call)
                if local_of(&self.graph.locals, &call.receiver).is_some()
                    && call.args.iter().all(|argument| self.owns(argument)) =>
            {
                call.args.iter().for_each(|argument| self.expr(argument));
            }
            // There is nothing else that a function could put into what its only argument borrows.
            Expr::Call(call)
                if call.args.len() == 1
                    && matches!(&*call.func, Expr::Path(_))
                    && local_of(&self.graph.locals, &call.func).is_none() =>
            {
                self.expr(&call.args[0]);
            }
            Expr::Return(expr) => expr.expr.iter().for_each(|value| self.expr(value)),
            Expr::Break(jump) => {
                let Some(value) = &jump.expr else { return };
                if !self.owns(value)
                    && let Some(target) = jump.label.as_ref().and_then(label_target)
                {
                    self.borrowing.extend(jump_dest(self.graph, Jump::Break(target)));
                }
                self.expr(value);
            }
            expr => self.unseen(expr),
        }
    }

    /// A condition, which may bind.
    fn cond(&mut self, cond: &Expr) {
        match cond {
            Expr::Let(expr) => {
                let owned = self.bound(&expr.expr);
                self.bind(&expr.pat, owned);
            }
            Expr::Binary(expr) if matches!(expr.op, BinOp::And(_)) => {
                self.cond(&expr.left);
                self.cond(&expr.right);
            }
            cond => self.expr(cond),
        }
    }

    /// Goes through a value that is bound. Whether it holds no borrow: otherwise, what it borrows may be
    /// changed by way of it.
    fn bound(&mut self, value: &Expr) -> bool {
        let owned = self.owns(value);
        if owned {
            self.expr(value);
        } else {
            self.unseen(value);
        }
        owned
    }

    fn bind(&mut self, pat: &Pat, owned: bool) {
        let owned = owned && !has_ref(pat);
        let mut names = Vec::new();
        collect_bindings(pat, &mut names);
        self.inner.extend(names.iter().map(|name| (name.to_string(), owned)));
    }

    fn unseen(&mut self, expr: &Expr) {
        let usage = Usage::of_expr(&self.graph.locals, expr);
        self.borrowing.extend(&usage.changes);
        self.borrowing.extend(given_by_jumps(self.graph, &usage));
    }
}

/// What the jumps of some code give a value.
pub(super) fn given_by_jumps(graph: &Graph, usage: &Usage) -> impl Iterator<Item = LocalId> {
    usage.jumps.iter().filter_map(|jump| jump_dest(graph, *jump))
}

/// What a jump gives a value.
pub(super) fn jump_dest(graph: &Graph, jump: Jump) -> Option<LocalId> {
    match jump {
        Jump::Break(target) => graph.targets[target.0].dest,
        Jump::Continue(_) | Jump::Return => None,
    }
}
