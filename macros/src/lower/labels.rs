//! Jumps: the target loop or block of each `break` and `continue`.

use quote::ToTokens;
use syn::spanned::Spanned;
use syn::visit_mut::{self, VisitMut};
use syn::{Expr, ExprBreak, ExprContinue, Label, Lifetime, Stmt};

use crate::diagnostics::Diagnostics;
use crate::diagnostics::rules::Rule;
use crate::ir::{TargetId, target_label};
use crate::lower::{Dest, Lower};
use crate::syntax::exits::OwnTargets;
use crate::syntax::macros;

/// A loop or labeled block whose body is being lowered.
#[derive(Debug)]
pub(crate) struct JumpScope {
    pub(crate) label: Option<String>,
    pub(crate) target: TargetId,
    pub(crate) kind: JumpKind,
    /// The number of variables declared before it.
    pub(crate) declared: usize,
    /// The destination of the value of a `break`.
    pub(crate) dest: Dest,
}

/// The construct that a jump targets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum JumpKind {
    Block,
    Loop,
    /// A loop without a value.
    For,
    /// A loop without a value.
    While,
}

impl JumpScope {
    pub(crate) fn is_loop(&self) -> bool {
        self.kind != JumpKind::Block
    }
}

/// The enclosing loops and labeled blocks, the innermost last.
#[derive(Debug, Default)]
pub(crate) struct Jumps {
    scopes: Vec<JumpScope>,
    /// The number of targets created so far.
    count: usize,
}

impl Jumps {
    /// Enters a loop or block. `declared` is the number of variables declared before it.
    pub(crate) fn enter(
        &mut self,
        label: Option<&Label>,
        kind: JumpKind,
        dest: Dest,
        declared: usize,
    ) -> TargetId {
        let target = TargetId(self.count);
        self.count += 1;
        let label = label.map(|label| label.name.ident.to_string());
        self.scopes.push(JumpScope { label, target, kind, declared, dest });
        target
    }

    /// Leaves the innermost loop or block.
    pub(crate) fn leave(&mut self) {
        self.scopes.pop();
    }

    /// Enters an `async` block: jumps in it cannot target the loops around it. Returns the scopes around it, for
    /// [`leave_block`](Self::leave_block).
    pub(crate) fn enter_block(&mut self) -> Vec<JumpScope> {
        std::mem::take(&mut self.scopes)
    }

    pub(crate) fn leave_block(&mut self, around: Vec<JumpScope>) {
        self.scopes = around;
    }

    pub(crate) fn innermost(&self) -> Option<&JumpScope> {
        self.scopes.last()
    }

    pub(crate) fn innermost_loop(&self) -> Option<&JumpScope> {
        self.scopes.iter().rfind(|scope| scope.is_loop())
    }

    /// The target of a jump with this label, or of one without a label.
    pub(crate) fn scope(&self, label: Option<&Lifetime>) -> Option<&JumpScope> {
        let Some(label) = label else { return self.innermost_loop() };
        let label = label.ident.to_string();
        self.scopes.iter().rfind(|scope| scope.label.as_ref() == Some(&label))
    }

    pub(crate) fn break_target(
        &self,
        jump: &ExprBreak,
        diagnostics: &Diagnostics,
    ) -> Option<(TargetId, Dest)> {
        let scope = self.scope(jump.label.as_ref())?;
        let kind = match scope.kind {
            JumpKind::Block | JumpKind::Loop => None,
            JumpKind::For => Some("for"),
            JumpKind::While => Some("while"),
        };
        if let (Some(kind), Some(_)) = (kind, &jump.expr) {
            let message = format!("`break` with value from a `{kind}` loop");
            diagnostics.push(syn::Error::new_spanned(jump, message));
        }
        Some((scope.target, scope.dest))
    }

    pub(crate) fn continue_target(
        &self,
        jump: &ExprContinue,
        diagnostics: &Diagnostics,
    ) -> Option<TargetId> {
        let scope = self.scope(jump.label.as_ref())?;
        if !scope.is_loop() {
            let message = "`continue` pointing to a labeled block";
            diagnostics.push(syn::Error::new_spanned(jump, message));
        }
        Some(scope.target)
    }
}

impl Lower<'_> {
    /// Rewrites the labels of jumps in code that does not suspend, so that they name lowered targets.
    pub(crate) fn opaque(&self, mut expr: Expr) -> Expr {
        let Self { jumps, diagnostics, .. } = self;
        Relabel { jumps, diagnostics, own: OwnTargets::default() }.visit_expr_mut(&mut expr);
        expr
    }
}

struct Relabel<'a> {
    jumps: &'a Jumps,
    diagnostics: &'a Diagnostics,
    own: OwnTargets,
}

impl Relabel<'_> {
    fn relabel_break(&self, jump: &mut ExprBreak) {
        if !self.own.has(jump.label.as_ref())
            && let Some((target, _)) = self.jumps.break_target(jump, self.diagnostics)
        {
            jump.label = Some(target_label(target, jump.break_token.span));
        }
    }

    fn relabel_continue(&self, jump: &mut ExprContinue) {
        if !self.own.has(jump.label.as_ref())
            && let Some(target) = self.jumps.continue_target(jump, self.diagnostics)
        {
            jump.label = Some(target_label(target, jump.continue_token.span));
        }
    }
}

impl VisitMut for Relabel<'_> {
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
            self.diagnostics.error(
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
            self.diagnostics.error(
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
