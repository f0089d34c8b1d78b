//! Jumps: which loop or block each `break` and `continue` is for.

use quote::ToTokens;
use syn::spanned::Spanned;
use syn::visit_mut::{self, VisitMut};
use syn::{Expr, Lifetime, Stmt};

use super::{Dest, Lower};
use crate::check::Rule;
use crate::ir::{TargetId, target_label};
use crate::macros::{self, Piece};

/// A loop or labeled block that is taken apart, while its body is lowered.
#[derive(Debug)]
pub(super) struct JumpScope {
    pub(super) label: Option<String>,
    pub(super) target: TargetId,
    pub(super) is_loop: bool,
    /// Where `break` brings its value.
    pub(super) dest: Dest,
}

/// Whether the expression is nothing but a jump.
pub(super) fn is_jump(expr: &Expr) -> bool {
    matches!(expr, Expr::Return(_) | Expr::Break(_) | Expr::Continue(_))
}

impl Lower<'_> {
    fn jump_scope(&self, label: Option<&Lifetime>) -> Option<&JumpScope> {
        self.jumps.iter().rev().find(|scope| match label {
            Some(label) => scope.label.as_deref() == Some(&*label.ident.to_string()),
            None => scope.is_loop,
        })
    }

    pub(super) fn break_target(&self, label: Option<&Lifetime>) -> Option<(TargetId, Dest)> {
        self.jump_scope(label).map(|scope| (scope.target, scope.dest))
    }

    pub(super) fn continue_target(&self, label: Option<&Lifetime>) -> Option<TargetId> {
        self.jump_scope(label).map(|scope| scope.target)
    }

    /// Makes the jumps in code that does not suspend point to the loops they are for.
    pub(super) fn opaque(&self, mut expr: Expr) -> Expr {
        Relabel { lower: self, labels: Vec::new(), in_loop: false }.visit_expr_mut(&mut expr);
        expr
    }
}

struct Relabel<'a, 'l> {
    lower: &'a Lower<'l>,
    /// The labels of the code itself.
    labels: Vec<String>,
    /// Whether a jump without label is for a loop of the code itself.
    in_loop: bool,
}

impl Relabel<'_, '_> {
    fn within(&mut self, label: Option<&syn::Label>, in_loop: bool, visit: impl FnOnce(&mut Self)) {
        let outer = std::mem::replace(&mut self.in_loop, in_loop);
        let count = self.labels.len();
        self.labels.extend(label.map(|label| label.name.ident.to_string()));
        visit(self);
        self.labels.truncate(count);
        self.in_loop = outer;
    }

    fn relabel(&self, label: &mut Option<Lifetime>, span: proc_macro2::Span) {
        let own = match &*label {
            Some(label) => self.labels.contains(&label.ident.to_string()),
            None => self.in_loop,
        };
        if !own && let Some(scope) = self.lower.jump_scope(label.as_ref()) {
            *label = Some(target_label(scope.target, span));
        }
    }
}

impl VisitMut for Relabel<'_, '_> {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        match expr {
            Expr::Closure(_) | Expr::Async(_) | Expr::Const(_) => {}
            Expr::Loop(expr) => self.within(expr.label.as_ref(), true, |this| {
                this.visit_block_mut(&mut expr.body);
            }),
            Expr::While(expr) => self.within(expr.label.as_ref(), true, |this| {
                this.visit_expr_mut(&mut expr.cond);
                this.visit_block_mut(&mut expr.body);
            }),
            Expr::ForLoop(expr) => {
                self.visit_expr_mut(&mut expr.expr);
                self.within(expr.label.as_ref(), true, |this| {
                    this.visit_block_mut(&mut expr.body);
                });
            }
            Expr::Block(expr) => self.within(expr.label.as_ref(), self.in_loop, |this| {
                this.visit_block_mut(&mut expr.block);
            }),
            Expr::Break(expr) => {
                if let Some(value) = &mut expr.expr {
                    self.visit_expr_mut(value);
                }
                self.relabel(&mut expr.label, expr.break_token.span);
            }
            Expr::Continue(expr) => self.relabel(&mut expr.label, expr.continue_token.span),
            expr => visit_mut::visit_expr_mut(self, expr),
        }
    }

    fn visit_macro_mut(&mut self, mac: &mut syn::Macro) {
        if !has_jump(mac.tokens.clone()) {
            return;
        }
        let Some(mut pieces) = macros::parse(mac) else {
            self.lower.diagnostics.error(
                mac.path
                    .to_token_stream()
                    .into_iter()
                    .next()
                    .map_or_else(proc_macro2::Span::call_site, |token| token.span()),
                Rule::JUMP_IN_MACRO,
                "it is not known what `return`, `break`, `continue` or `?` mean in this macro",
                "evaluate the expression before the macro, and pass the result",
            );
            return;
        };
        for piece in &mut pieces {
            if let Piece::Expr(expr, _) = piece {
                self.visit_expr_mut(expr);
            }
        }
        mac.tokens = macros::unparse(&pieces);
    }

    fn visit_attribute_mut(&mut self, attribute: &mut syn::Attribute) {
        if attribute.path().is_ident("state") {
            self.lower.diagnostics.error(
                attribute.span(),
                Rule::STATE_NAME,
                "there is no `.await` here to name the state of",
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

/// Whether the tokens of a macro may jump.
pub(super) fn has_jump(tokens: proc_macro2::TokenStream) -> bool {
    tokens.into_iter().any(|tree| match tree {
        proc_macro2::TokenTree::Ident(ident) => {
            ["return", "break", "continue"].iter().any(|word| ident == word)
        }
        proc_macro2::TokenTree::Punct(punct) => punct.as_char() == '?',
        proc_macro2::TokenTree::Group(group) => has_jump(group.stream()),
        proc_macro2::TokenTree::Literal(_) => false,
    })
}
