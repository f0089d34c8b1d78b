//! The expressions that may be the value of another one: ends of branches and operands of `break`.

use syn::visit::Visit;
use syn::{
    Block, Expr, ExprAsync, ExprBreak, ExprClosure, ExprForLoop, ExprLoop, ExprWhile, Label,
    Stmt as Source,
};

use super::{macros, results};

/// The expressions that may be the value: tails of branches, and operands of `break`.
pub(crate) fn ends(expr: &Expr) -> Vec<&Expr> {
    let mut found = Vec::new();
    note_ends(expr, &mut found);
    found
}

pub(crate) fn note_ends<'e>(expr: &'e Expr, found: &mut Vec<&'e Expr>) {
    let of_block = |block: &'e Block, found: &mut Vec<&'e Expr>| {
        if let Some(Source::Expr(value, None)) = block.stmts.last() {
            note_ends(value, found);
        }
    };
    match expr {
        Expr::Block(expr) => {
            if let Some(label) = &expr.label {
                found.extend(Breaks::of(&expr.block, Some(label), false));
            }
            of_block(&expr.block, found);
        }
        Expr::Loop(expr) => found.extend(Breaks::of(&expr.body, expr.label.as_ref(), true)),
        Expr::If(expr) => {
            of_block(&expr.then_branch, found);
            if let Some((_, otherwise)) = &expr.else_branch {
                note_ends(otherwise, found);
            }
        }
        Expr::Match(expr) => expr.arms.iter().for_each(|arm| note_ends(&arm.body, found)),
        expr if leaves(expr) => {}
        expr => found.push(expr),
    }
}

/// Collects the operands of `break` of a loop or labeled block.
pub(crate) struct Breaks<'e> {
    pub(crate) label: Option<&'e Label>,
    /// Whether a `break` without a label targets it.
    pub(crate) is_innermost: bool,
    pub(crate) found: Vec<&'e Expr>,
}

impl<'e> Breaks<'e> {
    fn of(block: &'e Block, label: Option<&'e Label>, is_innermost: bool) -> Vec<&'e Expr> {
        let mut breaks = Self { label, is_innermost, found: Vec::new() };
        breaks.visit_block(block);
        breaks.found
    }

    fn within_loop(&mut self, body: &'e Block) {
        let outer = std::mem::take(&mut self.is_innermost);
        self.visit_block(body);
        self.is_innermost = outer;
    }
}

impl<'e> Visit<'e> for Breaks<'e> {
    fn visit_expr_break(&mut self, expr: &'e ExprBreak) {
        let is_own = match &expr.label {
            Some(label) => self.label.is_some_and(|own| own.name.ident == label.ident),
            None => self.is_innermost,
        };
        if let Some(value) = &expr.expr {
            if is_own {
                note_ends(value, &mut self.found);
            }
            self.visit_expr(value);
        }
    }

    fn visit_expr_loop(&mut self, expr: &'e ExprLoop) {
        self.within_loop(&expr.body);
    }

    fn visit_expr_while(&mut self, expr: &'e ExprWhile) {
        self.visit_expr(&expr.cond);
        self.within_loop(&expr.body);
    }

    fn visit_expr_for_loop(&mut self, expr: &'e ExprForLoop) {
        self.visit_expr(&expr.expr);
        self.within_loop(&expr.body);
    }

    fn visit_expr_closure(&mut self, _: &'e ExprClosure) {}
    fn visit_expr_async(&mut self, _: &'e ExprAsync) {}
    fn visit_item(&mut self, _: &'e syn::Item) {}
}

/// Whether the expression is a jump.
pub(crate) fn is_jump(expr: &Expr) -> bool {
    matches!(expr, Expr::Return(_) | Expr::Break(_) | Expr::Continue(_))
}

/// Whether the expression diverges by a jump.
pub(crate) fn leaves(value: &Expr) -> bool {
    match value {
        Expr::Macro(call) => is_left_by(&call.mac),
        value => results::is_jump(value),
    }
}

pub(crate) fn is_left_by(mac: &syn::Macro) -> bool {
    ["bail", "panic", "todo", "unimplemented", "unreachable"].contains(&&*macros::name(mac))
}
