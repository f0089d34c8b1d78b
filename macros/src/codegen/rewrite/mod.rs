//! Rewrites jumps that leave the user's code, and projections of split locals.
//!
//! ```text
//! return e           →  return Ok(e)
//! e?                 →  match Question::branch(e) { Continue(v) => v, Break(r) => return … }
//! break 'l e         →  { dest = e; slots; block = exit; continue 'machine }
//! order.id           →  the variable of that part, where `order` is not whole
//! ```

mod enclose;
mod jumps;

use proc_macro2::TokenStream;
use quote::quote;
use syn::visit_mut::{self, VisitMut};
use syn::{Expr, ExprAssign, ExprBlock, ExprForLoop, ExprLoop, ExprWhile, Ident, Pat, Stmt};

pub(super) use self::enclose::enclose_last;
use super::printer::Printer;
use super::rewrite::enclose::enclose_first;
use super::rewrite::jumps::Target;
use crate::ir::usage::Place;
use crate::syntax::build::ident_expr;
use crate::syntax::macros;
use crate::syntax::macros::Piece;
use crate::syntax::patterns::bindings;

/// Rewrites code of one segment.
pub(super) struct Rewrite<'p, 'a> {
    printer: &'p mut Printer<'a>,
    /// Names that inner scopes shadow.
    hidden: Vec<String>,
    /// The targets of jumps within the code, innermost last.
    targets: Vec<Target>,
}

impl<'p, 'a> Rewrite<'p, 'a> {
    pub(super) fn new(printer: &'p mut Printer<'a>) -> Self {
        Self { printer, hidden: Vec::new(), targets: Vec::new() }
    }

    fn scoped(&mut self, visit: impl FnOnce(&mut Self)) {
        let hidden = self.hidden.len();
        visit(self);
        self.hidden.truncate(hidden);
    }

    fn hide(&mut self, pat: &Pat) {
        self.hidden.extend(bindings(pat).iter().map(ToString::to_string));
    }

    /// The variable for the part that an expression denotes.
    fn part(&self, expr: &Expr) -> Option<Ident> {
        self.printer.split.variable(&self.place(expr)?).cloned()
    }

    fn place(&self, expr: &Expr) -> Option<Place> {
        let find = |ident: &Ident| self.printer.arm.machine.graph.locals.find(ident);
        Place::of(expr, &|ident| find(ident).filter(|_| !self.is_hidden(ident)))
    }

    fn is_hidden(&self, ident: &Ident) -> bool {
        self.hidden.iter().any(|hidden| ident == hidden)
    }

    fn rewrite(&mut self, expr: &mut Expr) {
        let rewritten = match expr {
            Expr::Assign(assign) => self.assigned(assign),
            _ => self.jump(expr),
        };
        if let Some(rewritten) = rewritten {
            *expr = Expr::Verbatim(rewritten);
        }
    }

    fn assigned(&mut self, assign: &ExprAssign) -> Option<TokenStream> {
        let whole = self.place(&assign.left).filter(|place| place.fields.is_empty())?;
        let follow = self.printer.split.make_whole(whole.local);
        (!follow.is_empty()).then(|| quote!({ #assign; #follow }))
    }
}

impl VisitMut for Rewrite<'_, '_> {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        if !self.printer.split.is_empty()
            && let Some(ident) = self.part(expr)
        {
            *expr = ident_expr(ident);
            return;
        }
        match &mut *expr {
            // Their jumps stay in them; they may use parts.
            Expr::Closure(closure) => {
                if !self.printer.split.is_empty() {
                    self.scoped(|this| {
                        closure.inputs.iter().for_each(|pat| this.hide(pat));
                        Parts(this).visit_expr_mut(&mut closure.body);
                    });
                }
                return;
            }
            Expr::Async(_) | Expr::Const(_) => return,
            Expr::If(expr) => {
                self.scoped(|this| {
                    this.visit_expr_mut(&mut expr.cond);
                    this.visit_block_mut(&mut expr.then_branch);
                });
                if let Some((_, otherwise)) = &mut expr.else_branch {
                    self.visit_expr_mut(otherwise);
                }
            }
            Expr::While(expr) => {
                let ExprWhile { label, cond, body, .. } = expr;
                self.target(label.as_ref(), true, |this| {
                    this.scoped(|this| {
                        this.visit_expr_mut(cond);
                        this.visit_block_mut(body);
                    });
                });
            }
            Expr::ForLoop(expr) => {
                let ExprForLoop { label, pat, expr, body, .. } = expr;
                self.visit_expr_mut(expr);
                self.target(label.as_ref(), true, |this| {
                    this.scoped(|this| {
                        this.hide(pat);
                        this.visit_block_mut(body);
                    });
                });
            }
            Expr::Loop(ExprLoop { label, body, .. }) => {
                self.target(label.as_ref(), true, |this| this.visit_block_mut(body));
            }
            Expr::Block(ExprBlock { label: Some(label), block, .. }) => {
                self.target(Some(label), false, |this| this.visit_block_mut(block));
            }
            Expr::Let(expr) => {
                self.visit_expr_mut(&mut expr.expr);
                self.hide(&expr.pat);
            }
            // It always runs, so a local that it makes whole stays whole.
            Expr::Block(expr) => {
                self.scoped(|this| visit_mut::visit_block_mut(this, &mut expr.block));
            }
            expr => visit_mut::visit_expr_mut(self, expr),
        }
        self.rewrite(expr);
    }

    fn visit_arm_mut(&mut self, arm: &mut syn::Arm) {
        enclose_first(&mut arm.body);
        self.scoped(|this| {
            this.hide(&arm.pat);
            let before = this.printer.split.whole().clone();
            visit_mut::visit_arm_mut(this, arm);
            let parts = this.printer.split.split_again(before);
            if !parts.is_empty() {
                let body = &arm.body;
                let body = quote!({ let __piton_value = #body; #parts __piton_value });
                *arm.body = Expr::Verbatim(body);
            }
        });
    }

    fn visit_block_mut(&mut self, block: &mut syn::Block) {
        let before = self.printer.split.whole().clone();
        self.scoped(|this| visit_mut::visit_block_mut(this, block));
        let parts = self.printer.split.split_again(before);
        if !parts.is_empty() {
            let body = quote!({ let __piton_value = #block; #parts __piton_value });
            block.stmts = vec![Stmt::Expr(Expr::Verbatim(body), None)];
        }
    }

    fn visit_local_mut(&mut self, local: &mut syn::Local) {
        if let Some(init) = local.init.as_mut().filter(|init| init.diverge.is_some()) {
            enclose_last(&mut init.expr);
        }
        visit_mut::visit_local_mut(self, local);
        self.hide(&local.pat);
    }

    fn visit_stmt_mut(&mut self, stmt: &mut Stmt) {
        if let Stmt::Expr(expr, _) = stmt {
            enclose_first(expr);
        }
        if !matches!(stmt, Stmt::Item(_)) {
            visit_mut::visit_stmt_mut(self, stmt);
        }
    }

    fn visit_macro_mut(&mut self, mac: &mut syn::Macro) {
        rewrite_macro(mac, |expr, pat| {
            self.scoped(|this| {
                pat.into_iter().for_each(|pat| this.hide(pat));
                this.visit_expr_mut(expr);
            });
        });
    }
}

/// Rewrites the expressions in a macro, and the guard of a `matches!` with its pattern. `anf` has refused jumps in
/// macros that cannot be parsed.
fn rewrite_macro(mac: &mut syn::Macro, mut rewrite: impl FnMut(&mut Expr, Option<&Pat>)) {
    let Some(mut pieces) = macros::parse(mac) else { return };
    let mut changed = false;
    for piece in &mut pieces {
        match piece {
            Piece::Expr(expr, _) => {
                let before = expr.clone();
                rewrite(expr, None);
                changed |= *expr != before;
            }
            Piece::Tokens(tokens) => {
                if let Some((pat, Some(mut guard))) = macros::matches_pattern(mac, tokens) {
                    rewrite(&mut guard, Some(&pat));
                    *tokens = quote!(#pat if #guard);
                    changed = true;
                }
            }
        }
    }
    if changed {
        mac.tokens = macros::unparse(&pieces);
    }
}

/// Rewrites projections in code whose jumps stay.
struct Parts<'r, 'p, 'a>(&'r mut Rewrite<'p, 'a>);

impl VisitMut for Parts<'_, '_, '_> {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        match self.0.part(expr) {
            Some(ident) => *expr = ident_expr(ident),
            None => visit_mut::visit_expr_mut(self, expr),
        }
    }

    fn visit_local_mut(&mut self, local: &mut syn::Local) {
        visit_mut::visit_local_mut(self, local);
        self.0.hide(&local.pat);
    }

    fn visit_block_mut(&mut self, block: &mut syn::Block) {
        self.0.scoped(|this| visit_mut::visit_block_mut(&mut Parts(this), block));
    }

    fn visit_macro_mut(&mut self, mac: &mut syn::Macro) {
        rewrite_macro(mac, |expr, pat| {
            self.0.scoped(|this| {
                pat.into_iter().for_each(|pat| this.hide(pat));
                Parts(this).visit_expr_mut(expr);
            });
        });
    }
}
