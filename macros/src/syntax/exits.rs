//! Exits of an expression: `break`, `continue`, `return` and `?`.

use syn::visit::{self, Visit};
use syn::{Expr, Label, Lifetime};

use super::macros::{Piece, write_out};
use super::select::Select;
use super::{macros, suspend};

/// Whether an expression may be left before it has a value, and for where.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Exits {
    /// By `break` or `continue`.
    pub(crate) loops: bool,
    /// By `return` or `?`.
    pub(crate) function: bool,
    /// So that a loop around the expression ends: by `break`, or to go on with a loop that has a label.
    pub(crate) ends: bool,
}

impl Exits {
    /// Adds those of `expr`.
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
        // What is in others cannot be seen.
        let is_seen = macros::is_known(mac) || suspend::awaiting(mac).is_some();
        let pieces = if is_seen { macros::parse(mac) } else { None };
        for piece in pieces.iter().flatten() {
            if let Piece::Expr(expr, _) = piece {
                self.visit_expr(expr);
            }
        }
        if !is_seen
            || write_out::returns(mac)
            || pieces.is_none() && macros::has_jump(mac.tokens.clone())
        {
            *self.exits = Exits { loops: true, function: true, ..*self.exits };
        }
    }

    fn visit_item(&mut self, _: &syn::Item) {}
}

/// The loops and labeled blocks of a piece of code around the place that is looked at.
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

    /// Whether a jump with this label stays within the code.
    pub(crate) fn has(&self, label: Option<&Lifetime>) -> bool {
        match label {
            Some(label) => self.labels.iter().any(|own| label.ident == own),
            None => self.in_loop,
        }
    }
}

/// What there was before a loop or a block was entered.
pub(crate) struct Outer {
    labels: usize,
    in_loop: bool,
}
