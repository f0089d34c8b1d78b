//! Conditions, which may be chains with `let` operands.

use proc_macro2::Span;
use syn::{BinOp, Expr, ExprBinary, ExprLet};

use super::receivers;
use crate::ir::{Body, Stmt, TargetId};
use crate::lower::borrows::Borrows;
use crate::lower::labels::JumpKind;
use crate::lower::{Dest, Lower};
use crate::syntax::conditions::chain;
use crate::syntax::{forms, suspend};

impl Lower<'_> {
    /// Lowers `then` and `otherwise` behind a condition that may bind by `let`.
    pub(crate) fn condition(
        &mut self,
        cond: Expr,
        then: impl FnOnce(&mut Self),
        otherwise: impl FnOnce(&mut Self),
    ) {
        let operands = chain(&cond);
        let has_let = operands.iter().any(|operand| matches!(operand, Expr::Let(_)));
        if !has_let
            || !operands.iter().skip(1).any(|operand| self.borrows().is_evaluated_apart(operand))
        {
            return self.decide(cond, then, otherwise);
        }
        // Each operand of the chain becomes an `if` within the one before it. `otherwise` follows the outermost `if`,
        // and the innermost `if` jumps over it.
        let operands: Vec<Expr> = operands.into_iter().cloned().collect();
        let target = self.enter(None, JumpKind::Block, Dest::Discard);
        let body = self.body(|this| {
            this.chain(operands.into_iter(), target, then);
            this.jumps.leave();
            otherwise(this);
        });
        self.push(Stmt::Labeled { target, dest: None, body });
    }

    /// As [`condition`](Self::condition), for a condition in which only the operand that is evaluated first suspends.
    pub(crate) fn decide(
        &mut self,
        cond: Expr,
        then: impl FnOnce(&mut Self),
        otherwise: impl FnOnce(&mut Self),
    ) {
        let before = self.kept_temporaries;
        let (mut then_body, mut condition) = (Body::default(), None);
        let mut scope = self.body(|this| {
            condition = Some(this.simple_condition(cond));
            condition.iter().for_each(|cond| this.note_condition(cond));
            then_body = this.body(then);
        });
        let otherwise = self.body(otherwise);
        let Some(cond) = condition else { return };
        let has_temporaries = std::mem::replace(&mut self.kept_temporaries, before) != before;
        let jumps = matches!(otherwise.stmts.as_slice(), [] | [Stmt::Break(_)]);
        if !has_temporaries {
            self.out.extend(scope.stmts);
            self.push(Stmt::If { cond, then: then_body, otherwise });
        } else if jumps {
            scope.stmts.push(Stmt::If { cond, then: then_body, otherwise });
            self.push(Stmt::Scope(scope));
        } else {
            // The temporaries of the condition are dropped before `otherwise`.
            let target = self.enter(None, JumpKind::Block, Dest::Discard);
            self.jumps.leave();
            then_body.stmts.push(Stmt::Break(target));
            scope.stmts.push(Stmt::If { cond, then: then_body, otherwise: Body::default() });
            let mut body = Body { stmts: vec![Stmt::Scope(scope)] };
            body.stmts.extend(otherwise.stmts);
            self.push(Stmt::Labeled { target, dest: None, body });
        }
    }

    fn chain(
        &mut self,
        mut operands: std::vec::IntoIter<Expr>,
        target: TargetId,
        then: impl FnOnce(&mut Self),
    ) {
        match operands.next() {
            Some(operand) => {
                // The temporaries of an operand end with its `if`.
                let scope = self.body(|this| {
                    let mut cond = this.simple_condition(operand);
                    this.note_condition(&cond);
                    // rustc accepts an irrefutable `let` in a chain, but would warn about it as the only condition.
                    if let Expr::Let(expr) = &mut cond {
                        let token = &mut expr.let_token;
                        token.span = Span::mixed_site().located_at(token.span);
                    }
                    let then = this.body(|this| this.chain(operands, target, then));
                    this.push(Stmt::If { cond, then, otherwise: Body::default() });
                });
                self.push(Stmt::Scope(scope));
            }
            None => {
                then(self);
                self.push(Stmt::Break(target));
            }
        }
    }

    /// Records the borrows of a condition whose first operand alone suspends, if it binds by `let`.
    fn note_condition(&mut self, cond: &Expr) {
        for operand in chain(cond) {
            if let Expr::Let(expr) = operand {
                self.note_borrows(&expr.pat, &expr.expr);
            }
        }
    }

    pub(crate) fn simple_condition(&mut self, cond: Expr) -> Expr {
        match cond {
            Expr::Let(expr) => {
                let pats = [&*expr.pat];
                let value = self
                    .scrutinee(*expr.expr, &pats, |this, value| this.keep_matched(value, &pats));
                Expr::Let(ExprLet { expr: Box::new(value), ..expr })
            }
            Expr::Binary(ExprBinary { attrs, left, op: op @ BinOp::And(_), right })
                if chain(&right).iter().chain(&chain(&left)).any(|o| matches!(o, Expr::Let(_))) =>
            {
                let left = Box::new(self.simple_condition(*left));
                let right = Box::new(self.opaque(*right));
                Expr::Binary(ExprBinary { attrs, left, op, right })
            }
            cond if !suspend::expr(&cond) => self.opaque(cond),
            cond => self.without_temporaries(None, |this| this.hoist(cond)),
        }
    }
}

impl Borrows<'_> {
    /// Whether an operand of a chain needs statements of its own.
    fn is_evaluated_apart(&self, operand: &Expr) -> bool {
        let keeps = |value: &mut Expr| receivers::has_receiver(value);
        let leaves = |expr: &ExprLet| {
            forms::is_new_value(&expr.expr) && receivers::leaves_value(&[&*expr.pat])
        };
        suspend::expr(operand)
            || matches!(operand, Expr::Let(expr) if leaves(expr) || {
                let mut value = (*expr.expr).clone();
                keeps(&mut value)
                    || !self.lenders(&mut value, &[&*expr.pat], false).is_empty()
                    || self.has_unsaved_keys(&value)
            })
    }
}
