//! The order in which a jump out of an expression drops what has been made for it.
//!
//! ```text
//! let x = both(make(), list().pop().unwrap_or(load().await?));
//! ```
//!
//! What the failure leaves are first the operands that have been evaluated, here `make()`, the last one first,
//! and then what methods have been called on, here `list()`, which is kept until the statement ends. As
//! temporaries are dropped in the reverse order of their declarations, what is kept is declared before the
//! operands.

use proc_macro2::Span;
use quote::ToTokens;
use syn::{Expr, Pat, Stmt as Source};

use crate::ir::locals::local_of;
use crate::ir::{Body, Branch, LocalId, LocalKind, Stmt};
use crate::lower::Lower;
use crate::syntax::forms::extends_temporaries;
use crate::syntax::macros::has_jump;

impl Lower<'_> {
    /// Moves a value to a temporary that is kept until the statement ends.
    pub(crate) fn keep(&mut self, value: Expr) -> Expr {
        let path = self.spill(value);
        self.note_kept(&path);
        path
    }

    /// Notes that what has been moved there is kept until the statement ends.
    pub(crate) fn note_kept(&mut self, path: &Expr) {
        self.borrowed += 1;
        self.kept.extend(local_of(&self.locals, path).filter(|it| self.locals[*it].is_temporary));
    }

    /// Notes that what has been moved there is moved on by a method.
    pub(crate) fn note_taken(&mut self, path: &Expr) {
        if let Some(local) = local_of(&self.locals, path) {
            self.kept.remove(&local);
        }
    }

    /// The scope of what a statement makes.
    pub(crate) fn scope(&mut self, mut body: Body) -> Stmt {
        if self.kept.is_empty() {
            return Stmt::Scope(body);
        }
        let is_operand = |stmt: &Stmt| made(self, stmt).is_some_and(|it| !self.kept.contains(&it));
        let first = body.stmts.iter().position(is_operand);
        let last = body.stmts.iter().rposition(may_leave);
        let (Some(first), Some(last)) = (first, last) else { return Stmt::Scope(body) };
        let mut stmts = Vec::new();
        let mut kept = Vec::new();
        for (index, mut stmt) in body.stmts.into_iter().enumerate() {
            let local = made(self, &stmt).filter(|local| self.kept.contains(local));
            let Some(local) = local.filter(|_| first < index && index < last) else {
                stmts.push(stmt);
                continue;
            };
            match &mut stmt {
                Stmt::Code(Source::Local(made)) => {
                    let Some(init) = made.init.take() else { continue };
                    stmts.push(Stmt::Define { local, value: *init.expr });
                }
                Stmt::Await { pat, .. } => {
                    let awaited =
                        self.new_temporary("awaited", LocalKind::Value, Span::call_site());
                    self.locals[awaited].is_temporary = true;
                    *pat = self.local_pat(awaited);
                    let value = self.path(awaited);
                    stmts.extend([stmt, Stmt::Define { local, value }]);
                }
                _ => stmts.push(stmt),
            }
            kept.push(Stmt::Declare(local));
        }
        stmts.splice(first..first, kept);
        body.stmts = stmts;
        Stmt::Scope(body)
    }
}

/// The temporary that a statement makes and that is not made again.
fn made(lower: &Lower<'_>, stmt: &Stmt) -> Option<LocalId> {
    let pat = match stmt {
        Stmt::Code(Source::Local(local)) => {
            let is_extended = local.init.as_ref().is_none_or(|it| extends_temporaries(&it.expr));
            if is_extended { None } else { Some(&local.pat) }
        }
        Stmt::Await { pat, ty: None, .. } => Some(pat),
        _ => None,
    };
    let Pat::Ident(pat) = pat? else { return None };
    let local = lower.locals.find(&pat.ident)?;
    let is_made = lower.locals[local].is_temporary && lower.locals[local].remade.is_none();
    is_made.then_some(local)
}

/// Whether control may leave the statement.
fn may_leave(stmt: &Stmt) -> bool {
    let any = |body: &Body| body.stmts.iter().any(may_leave);
    let jumps = |code: &dyn ToTokens| has_jump(code.to_token_stream());
    match stmt {
        Stmt::Break(_) | Stmt::Continue(_) | Stmt::Return(_) => true,
        Stmt::Declare(_) => false,
        Stmt::Code(code) => jumps(code),
        Stmt::Define { value: code, .. } | Stmt::Await { future: code, .. } => jumps(code),
        Stmt::Select { arms, otherwise, .. } => {
            otherwise.as_ref().is_some_and(any)
                || arms.iter().any(|arm| {
                    arm.future.operation().is_some_and(|code| jumps(code)) || any(&arm.body)
                })
        }
        Stmt::Join { branches, .. } => {
            branches.iter().filter_map(Branch::operation).any(|code| jumps(code))
        }
        Stmt::Scope(body) | Stmt::Loop { body, .. } | Stmt::Labeled { body, .. } => any(body),
        Stmt::If { cond, then, otherwise } => jumps(cond) || any(then) || any(otherwise),
        Stmt::Match { scrutinee, arms } => {
            jumps(scrutinee) || arms.iter().any(|arm| any(&arm.body))
        }
        Stmt::LetElse { local, otherwise } => jumps(local) || any(otherwise),
    }
}
