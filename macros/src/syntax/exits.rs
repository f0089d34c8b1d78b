//! Exits of an expression: `break`, `continue`, `return` and `?`.

use syn::visit::{self, Visit};
use syn::{Expr, Label, Lifetime};

use super::macros::{Piece, expand};
use super::select::Select;
use super::{macros, suspend};

/// The ways to leave an expression before it has a value.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Exits {
    /// Whether it has a `break` or `continue` of a loop around it.
    pub(crate) loops: bool,
    /// Whether it has a `return` or `?`.
    pub(crate) function: bool,
    /// Whether it may end a loop around it: by `break`, or by `continue` with the label of an outer loop.
    pub(crate) ends: bool,
}

impl Exits {
    /// Adds the exits of `expr`.
    pub(crate) fn note(&mut self, expr: &Expr) {
        let mut search = Search { exits: self, own: OwnTargets::default() };
        search.visit_expr(expr);
    }
}

pub(crate) struct Search<'a> {
    exits: &'a mut Exits,
    own: OwnTargets,
}

impl Visit<'_> for Search<'_> {
    fn visit_expr(&mut self, expr: &Expr) {
        match expr {
            Expr::Break(expr) => {
                let leaves = !self.own.has(expr.label.as_ref());
                self.exits.loops |= leaves;
                self.exits.ends |= leaves;
            }
            Expr::Continue(expr) => {
                let leaves = !self.own.has(expr.label.as_ref());
                self.exits.loops |= leaves;
                self.exits.ends |= leaves && expr.label.is_some();
            }
            Expr::Return(_) | Expr::Try(_) => self.exits.function = true,
            Expr::Closure(_) | Expr::Async(_) => return,
            _ => {}
        }
        visit::visit_expr(self, expr);
    }

    fn visit_expr_loop(&mut self, expr: &syn::ExprLoop) {
        let outer = self.own.enter_loop(expr.label.as_ref());
        self.visit_block(&expr.body);
        self.own.leave(outer);
    }

    fn visit_expr_while(&mut self, expr: &syn::ExprWhile) {
        let outer = self.own.enter_loop(expr.label.as_ref());
        self.visit_expr(&expr.cond);
        self.visit_block(&expr.body);
        self.own.leave(outer);
    }

    fn visit_expr_for_loop(&mut self, expr: &syn::ExprForLoop) {
        self.visit_expr(&expr.expr);
        let outer = self.own.enter_loop(expr.label.as_ref());
        self.visit_block(&expr.body);
        self.own.leave(outer);
    }

    fn visit_expr_block(&mut self, expr: &syn::ExprBlock) {
        let outer = self.own.enter_block(expr.label.as_ref());
        self.visit_block(&expr.block);
        self.own.leave(outer);
    }

    fn visit_macro(&mut self, mac: &syn::Macro) {
        if macros::is_literal(mac) {
            return;
        }
        if let Some(select) = Select::of(mac) {
            for arm in &select.arms {
                [Some(&arm.future), arm.cond.as_ref(), Some(&arm.handler)]
                    .into_iter()
                    .flatten()
                    .for_each(|expr| self.visit_expr(expr));
            }
            return;
        }
        // The jumps in other macros are unknown.
        let is_seen = macros::is_known(mac) || suspend::awaiting(mac).is_some();
        let pieces = if is_seen { macros::parse(mac) } else { None };
        for piece in pieces.iter().flatten() {
            if let Piece::Expr(expr, _) = piece {
                self.visit_expr(expr);
            }
        }
        if !is_seen
            || expand::returns(mac)
            || pieces.is_none() && macros::has_jump(mac.tokens.clone())
        {
            *self.exits = Exits { loops: true, function: true, ..*self.exits };
        }
    }

    fn visit_item(&mut self, _: &syn::Item) {}
}

/// The loops and labeled blocks around a position, within a piece of code.
#[derive(Default)]
pub(crate) struct OwnTargets {
    labels: Vec<String>,
    in_loop: bool,
}

impl OwnTargets {
    pub(crate) fn enter_loop(&mut self, label: Option<&Label>) -> Outer {
        let outer = self.enter_block(label);
        self.in_loop = true;
        outer
    }

    pub(crate) fn enter_block(&mut self, label: Option<&Label>) -> Outer {
        let outer = Outer { labels: self.labels.len(), in_loop: self.in_loop };
        self.labels.extend(label.map(|label| label.name.ident.to_string()));
        outer
    }

    pub(crate) fn leave(&mut self, outer: Outer) {
        self.labels.truncate(outer.labels);
        self.in_loop = outer.in_loop;
    }

    /// Whether the target of a jump with this label is within the code.
    pub(crate) fn has(&self, label: Option<&Lifetime>) -> bool {
        match label {
            Some(label) => self.labels.iter().any(|own| label.ident == own),
            None => self.in_loop,
        }
    }
}

/// The innermost targets outside a loop or block.
pub(crate) struct Outer {
    labels: usize,
    in_loop: bool,
}
