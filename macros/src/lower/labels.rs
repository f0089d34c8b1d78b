//! Jumps: the target loop or block of each `break` and `continue`.

use quote::ToTokens;
use syn::spanned::Spanned;
use syn::visit_mut::{self, VisitMut};
use syn::{Expr, ExprBreak, ExprContinue, Lifetime, Stmt};

use crate::diagnostics::rules::Rule;
use crate::ir::{TargetId, target_label};
use crate::lower::{Dest, Lower};
use crate::syntax::exits::OwnTargets;
use crate::syntax::macros;

/// A loop or labeled block that is taken apart, while its body is lowered.
#[derive(Debug)]
pub(crate) struct JumpScope {
    pub(crate) label: Option<String>,
    pub(crate) target: TargetId,
    pub(crate) kind: JumpKind,
    /// How many variables had been declared before it.
    pub(crate) declared: usize,
    /// Where `break` brings its value.
    pub(crate) dest: Dest,
}

/// What a jump is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum JumpKind {
    Block,
    Loop,
    /// A loop that has no value.
    For,
    /// The same.
    While,
}

impl JumpScope {
    pub(crate) fn is_loop(&self) -> bool {
        self.kind != JumpKind::Block
    }
}

impl Lower<'_> {
    pub(crate) fn jump_scope(&self, label: Option<&Lifetime>) -> Option<&JumpScope> {
        self.jumps.iter().rev().find(|scope| match label {
            Some(label) => scope.label.as_deref() == Some(&*label.ident.to_string()),
            None => scope.is_loop(),
        })
    }

    pub(crate) fn break_target(&self, jump: &ExprBreak) -> Option<(TargetId, Dest)> {
        let scope = self.jump_scope(jump.label.as_ref())?;
        let kind = match scope.kind {
            JumpKind::Block | JumpKind::Loop => None,
            JumpKind::For => Some("for"),
            JumpKind::While => Some("while"),
        };
        if let (Some(kind), Some(_)) = (kind, &jump.expr) {
            let message = format!("`break` with value from a `{kind}` loop");
            self.diagnostics.push(syn::Error::new_spanned(jump, message));
        }
        Some((scope.target, scope.dest))
    }

    pub(crate) fn continue_target(&self, jump: &ExprContinue) -> Option<TargetId> {
        let scope = self.jump_scope(jump.label.as_ref())?;
        if !scope.is_loop() {
            let message = "`continue` pointing to a labeled block";
            self.diagnostics.push(syn::Error::new_spanned(jump, message));
        }
        Some(scope.target)
    }

    /// Makes the jumps in code that does not suspend point to the loops they are for.
    pub(crate) fn opaque(&self, mut expr: Expr) -> Expr {
        Relabel { lower: self, own: OwnTargets::default() }.visit_expr_mut(&mut expr);
        expr
    }
}

struct Relabel<'a, 'l> {
    lower: &'a Lower<'l>,
    own: OwnTargets,
}

impl Relabel<'_, '_> {
    fn relabel_break(&self, jump: &mut ExprBreak) {
        if !self.own.has(jump.label.as_ref())
            && let Some((target, _)) = self.lower.break_target(jump)
        {
            jump.label = Some(target_label(target, jump.break_token.span));
        }
    }

    fn relabel_continue(&self, jump: &mut ExprContinue) {
        if !self.own.has(jump.label.as_ref())
            && let Some(target) = self.lower.continue_target(jump)
        {
            jump.label = Some(target_label(target, jump.continue_token.span));
        }
    }
}

impl VisitMut for Relabel<'_, '_> {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        match expr {
            Expr::Closure(_) | Expr::Async(_) | Expr::Const(_) => {}
            Expr::Path(expr) if expr.attrs.is_empty() => {}
            Expr::Loop(expr) => {
                let outer = self.own.enter_loop(expr.label.as_ref());
                self.visit_block_mut(&mut expr.body);
                self.own.leave(outer);
            }
            Expr::While(expr) => {
                let outer = self.own.enter_loop(expr.label.as_ref());
                self.visit_expr_mut(&mut expr.cond);
                self.visit_block_mut(&mut expr.body);
                self.own.leave(outer);
            }
            Expr::ForLoop(expr) => {
                self.visit_expr_mut(&mut expr.expr);
                let outer = self.own.enter_loop(expr.label.as_ref());
                self.visit_block_mut(&mut expr.body);
                self.own.leave(outer);
            }
            Expr::Block(expr) => {
                let outer = self.own.enter_block(expr.label.as_ref());
                self.visit_block_mut(&mut expr.block);
                self.own.leave(outer);
            }
            Expr::Break(expr) => {
                if let Some(value) = &mut expr.expr {
                    self.visit_expr_mut(value);
                }
                self.relabel_break(expr);
            }
            Expr::Continue(expr) => self.relabel_continue(expr),
            expr => visit_mut::visit_expr_mut(self, expr),
        }
    }

    fn visit_macro_mut(&mut self, mac: &mut syn::Macro) {
        if !macros::has_jump(mac.tokens.clone()) {
            return;
        }
        if !macros::visit_exprs_mut(mac, |expr| self.visit_expr_mut(expr)) {
            self.lower.diagnostics.error(
                mac.path
                    .to_token_stream()
                    .into_iter()
                    .next()
                    .map_or_else(proc_macro2::Span::call_site, |token| token.span()),
                Rule::JUMP_IN_MACRO,
                "`return`, `break`, `continue` and `?` cannot be used in a macro that piton does not know",
                "evaluate the expression before the macro, and pass the result to it",
            );
        }
    }

    fn visit_attribute_mut(&mut self, attribute: &mut syn::Attribute) {
        if attribute.path().is_ident("state") {
            self.lower.diagnostics.error(
                attribute.span(),
                Rule::STATE_NAME,
                "`#[state]` names the state of an `.await`, and there is none here",
                "put `#[state(\"…\")]` on a statement with one `.await`",
            );
        }
    }

    fn visit_stmt_mut(&mut self, stmt: &mut Stmt) {
        if !matches!(stmt, Stmt::Item(_)) {
            visit_mut::visit_stmt_mut(self, stmt);
        }
    }
}
