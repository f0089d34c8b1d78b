//! Uses of a local after which it is there if it was before, and nothing borrows from it.

use proc_macro2::Span;
use syn::visit_mut::{self, VisitMut};
use syn::{Expr, ExprMethodCall, Stmt};

use crate::ir::locals::local_of;
use crate::ir::{LocalKind, Locals};
use crate::syntax::build::unit;
use crate::syntax::macros::{Piece, Role};
use crate::syntax::methods::{answers, changes_in_place, gives_own, gives_part, only_looks};
use crate::syntax::operators::{is_assignment, is_comparison};
use crate::syntax::patterns::binds_nothing;
use crate::syntax::{macros, source};

/// Takes out what only looks at a local, or gives it another value, and keeps no borrow of it.
pub(super) struct Looks<'a>(pub(super) &'a Locals);

impl Looks<'_> {
    fn is_place(&self, expr: &Expr) -> bool {
        local_of(self.0, expr).is_some()
    }

    fn is_items(&self, expr: &Expr) -> bool {
        local_of(self.0, expr).is_some_and(|local| self.0[local].kind == LocalKind::Items)
    }

    /// Takes out what lends the parts that a method is asked about: `rows` of `rows.iter().any(…)`.
    fn take_lender(&self, asked: &mut Expr) {
        if let Expr::MethodCall(call) = asked
            && (gives_part(call) || call.method == "iter" && call.args.is_empty())
        {
            self.take(&mut call.receiver);
            self.take_lender(&mut call.receiver);
            call.args.iter_mut().for_each(|argument| self.take(argument));
        }
    }

    fn take(&self, expr: &mut Expr) {
        let place = match &*expr {
            Expr::Reference(reference) => &reference.expr,
            place => place,
        };
        if self.is_place(place) {
            *expr = unit(Span::call_site());
        }
    }
}

impl VisitMut for Looks<'_> {
    fn visit_stmt_mut(&mut self, stmt: &mut Stmt) {
        if let Stmt::Expr(Expr::MethodCall(call), Some(_)) = stmt
            && changes_in_place(call)
            && !is_taken(call)
        {
            self.take(&mut call.receiver);
        }
        visit_mut::visit_stmt_mut(self, stmt);
    }

    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        match expr {
            // Who has the closure has what it takes over.
            Expr::Closure(closure) if closure.capture.is_some() => return,
            Expr::Path(_) | Expr::Lit(_) => return,
            Expr::Binary(binary) if is_comparison(&binary.op) => {
                self.take(&mut binary.left);
                self.take(&mut binary.right);
            }
            Expr::Binary(binary) if is_assignment(&binary.op) => self.take(&mut binary.left),
            Expr::Assign(assign) => match &mut *assign.left {
                // Nothing is moved out of a value by a new part, nor out of a list by a new item.
                left @ (Expr::Path(_) | Expr::Field(_)) => self.take(left),
                Expr::Index(left) => self.take(&mut left.expr),
                _ => {}
            },
            Expr::MethodCall(call) if gives_own(call) && !is_taken(call) => {
                self.take(&mut call.receiver);
            }
            Expr::MethodCall(call) if only_looks(call) && !is_taken(call) => {
                self.take(&mut call.receiver);
                call.args.iter_mut().for_each(|argument| self.take(argument));
            }
            Expr::MethodCall(call) if answers(call) => self.take_lender(&mut call.receiver),
            Expr::Let(condition) if binds_nothing(&condition.pat) => self.take(&mut condition.expr),
            // The next item is its own, and what is left of them stays.
            Expr::Reference(reference) if self.is_items(&reference.expr) => self.take(expr),
            _ => {}
        }
        visit_mut::visit_expr_mut(self, expr);
    }

    fn visit_macro_mut(&mut self, mac: &mut syn::Macro) {
        // The pattern of `matches!` may move what it is matched against.
        if !macros::is_known(mac) || macros::name(mac) == "matches" {
            return;
        }
        let Some(mut pieces) = macros::parse(mac) else { return };
        let format = macros::format_string(mac, &pieces);
        for (index, piece) in pieces.iter_mut().enumerate() {
            match piece {
                Piece::Expr(expr, _) if format == Some(index) => {
                    **expr = syn::parse_quote!("");
                }
                Piece::Expr(expr, Role::Borrowed | Role::Changed | Role::Lazy) => {
                    self.take(expr);
                    self.visit_expr_mut(expr);
                }
                Piece::Expr(expr, _) => self.visit_expr_mut(expr),
                Piece::Tokens(_) => {}
            }
        }
        mac.tokens = macros::unparse(&pieces);
    }
}

/// Whether the file has a method of its own of this name that takes what it is called on.
fn is_taken(call: &ExprMethodCall) -> bool {
    source::takes_self(&call.method.to_string(), call.method.span())
}
