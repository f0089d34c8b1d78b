//! Expressions: their awaits become statements before them.

use proc_macro2::Span;
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{BinOp, Expr, ExprMacro};

use super::control;
use super::control::literal_bool;
use crate::desugar::compound_assignments;
use crate::diagnostics::rules::Rule;
use crate::ir::{Stmt, span_ends};
use crate::lower::operand::{Operand, operands_mut};
use crate::lower::{Dest, Lower};
use crate::syntax::fingerprint::Fingerprint;
use crate::syntax::macros::{Piece, Role};
use crate::syntax::operators::{is_assignment, is_lazy};
use crate::syntax::suspend::Awaiting;
use crate::syntax::{hygiene, macros, suspend};

impl Lower<'_> {
    /// Emits the code of `expr` up to its last suspension, and returns the remaining expression.
    pub(crate) fn hoist(&mut self, mut expr: Expr) -> Expr {
        if !suspend::expr(&expr) {
            return self.opaque(expr);
        }
        let pin = self.take_pin(&mut expr);
        let first = self.points.count();
        let value = self.hoist_parts(expr);
        self.points.pin(pin, first, self.diagnostics);
        value
    }

    fn hoist_parts(&mut self, expr: Expr) -> Expr {
        match expr {
            Expr::Await(expr) if suspend::awaited_block(&expr).is_none() => {
                let result = Expr::Await(expr.clone());
                let point = self.future(expr);
                let local = self.temporary(&result);
                let pat = self.locals.pattern(local);
                self.push_await(point, pat, None);
                self.locals.path(local)
            }
            expr if control::has_parts(&expr) => {
                let local = self.temporary(&expr);
                match expr {
                    Expr::Match(expr) => self.match_operand(expr, local),
                    expr => {
                        self.push(Stmt::Declare(local));
                        self.value(expr, Dest::Local(local));
                    }
                }
                self.locals.path(local)
            }
            Expr::Binary(expr) if is_lazy(&expr.op) => self.hoist_short_circuit(expr),
            Expr::Macro(expr) => self.hoist_macro(expr),
            Expr::Paren(expr) if expr.attrs.is_empty() => match self.hoist(*expr.expr) {
                // The remaining expression needs no parentheses.
                path @ Expr::Path(_) => path,
                inner => Expr::Paren(syn::ExprParen { expr: Box::new(inner), ..expr }),
            },
            mut expr => {
                if let Some(value) = compound_assignments::assigned_value(&expr) {
                    let message = "the output of an await is not a place and cannot be assigned to";
                    self.diagnostics.push(syn::Error::new(value.await_token.span, message));
                }
                let start = begins_with_operand(&expr).then(|| span_ends(expr.to_token_stream()).0);
                let is_of_numbers = self.borrows().is_only_of_numbers(&expr);
                let around = self.without_operands(&expr);
                if let Some(mut operands) = operands_mut(&mut expr) {
                    let values = operands.iter_mut().map(|(operand, kind)| {
                        (std::mem::replace(&mut **operand, Expr::PLACEHOLDER), *kind)
                    });
                    let mut values = self.sequence(around, values.collect());
                    if let (Some(start), Some(first)) = (start, values.first_mut()) {
                        begin_at(first, start);
                    }
                    for ((operand, _), value) in operands.into_iter().zip(values) {
                        *operand = value;
                    }
                    if let Expr::Assign(expr) = &mut expr
                        && !matches!(&*expr.left, Expr::Path(_) | Expr::Field(_))
                        && let right @ Expr::Path(_) = &*expr.right
                    {
                        // The block makes the right side a value, so that the part that is not assigned is dropped with
                        // the statement.
                        *expr.right = syn::parse_quote!({ #right });
                    }
                    if is_of_numbers && let Expr::Binary(expr) = &mut expr {
                        compound_assignments::only_of_numbers(&mut expr.left);
                    }
                } else {
                    let help = "await before it, into a variable";
                    self.unsupported(expr.span(), "this expression", help);
                }
                expr
            }
        }
    }

    /// The fingerprint of an expression without its operands.
    fn without_operands(&self, expr: &Expr) -> Fingerprint {
        let mut expr = expr.clone();
        for (operand, _) in operands_mut(&mut expr).unwrap_or_default() {
            *operand = Expr::PLACEHOLDER;
        }
        self.locals.fingerprint(&expr)
    }

    /// Lowers `a && b.await` as `if a { b.await } else { false }`.
    fn hoist_short_circuit(&mut self, expr: syn::ExprBinary) -> Expr {
        let left = self.hoist(*expr.left);
        if !suspend::expr(&expr.right) {
            let right = Box::new(self.opaque(*expr.right));
            return Expr::Binary(syn::ExprBinary { left: Box::new(left), right, ..expr });
        }
        self.short_circuit(&expr.op, left, *expr.right)
    }

    pub(crate) fn short_circuit(&mut self, op: &BinOp, left: Expr, right: Expr) -> Expr {
        let local = self.temporary(&right);
        self.push(Stmt::Declare(local));
        let right = self.body(|this| this.value(right, Dest::Local(local)));
        let is_and = matches!(op, BinOp::And(_));
        let known = self.body(|this| this.finish(literal_bool(!is_and), Dest::Local(local)));
        let (then, otherwise) = if is_and { (right, known) } else { (known, right) };
        self.push(Stmt::If { cond: left, then, otherwise });
        self.locals.path(local)
    }

    fn hoist_macro(&mut self, expr: ExprMacro) -> Expr {
        match suspend::awaiting(&expr.mac) {
            Some(Awaiting::Join) => return self.hoist_join(&expr.mac, false),
            Some(Awaiting::TryJoin) => return self.hoist_join(&expr.mac, true),
            _ => {}
        }
        if macros::name(&expr.mac) == "format" {
            return self.without_temporaries(None, |this| this.hoist_pieces(expr));
        }
        self.hoist_pieces(expr)
    }

    fn hoist_pieces(&mut self, expr: ExprMacro) -> Expr {
        let help = "await before the macro, into a variable";
        let pieces = macros::is_known(&expr.mac).then(|| macros::parse(&expr.mac)).flatten();
        let Some(mut pieces) = pieces else {
            self.diagnostics.error(
                expr.mac.path.span(),
                Rule::AWAIT_IN_MACRO,
                "the `.await` is in a macro that the workflow compiler does not know",
                help,
            );
            return Expr::Macro(expr);
        };
        let mut values = Vec::new();
        for piece in &mut pieces {
            if let Piece::Expr(expr, role) = piece {
                let operand = match role {
                    Role::Value => Operand::Value,
                    Role::Borrowed | Role::Changed | Role::Unknown => Operand::Borrowed,
                    Role::Lazy => {
                        if suspend::expr(expr) {
                            let help =
                                "write `if !condition { panic!(…) }`, and await in the block";
                            self.unsupported(expr.span(), "the message of an assertion", help);
                        }
                        **expr = self.opaque(std::mem::replace(&mut **expr, Expr::PLACEHOLDER));
                        continue;
                    }
                };
                values.push((std::mem::replace(&mut **expr, Expr::PLACEHOLDER), operand));
            } else if let Piece::Tokens(tokens) = piece
                && suspend::tokens(tokens.clone())
            {
                self.unsupported(expr.mac.path.span(), "this part of the macro", help);
            }
        }
        let mut mac = expr.mac;
        mac.tokens = macros::unparse(&pieces);
        let mut values = self.sequence(self.locals.fingerprint(&mac), values).into_iter();
        for piece in &mut pieces {
            if let Piece::Expr(expr, role) = piece
                && *role != Role::Lazy
                && let Some(value) = values.next()
            {
                **expr = value;
            }
        }
        mac.tokens = macros::unparse(&pieces);
        Expr::Macro(ExprMacro { attrs: expr.attrs, mac })
    }
}

/// Whether the first token of the expression belongs to its first operand.
fn begins_with_operand(expr: &Expr) -> bool {
    match expr {
        Expr::Binary(expr) => !is_assignment(&expr.op),
        expr => matches!(
            expr,
            Expr::Cast(_) | Expr::Field(_) | Expr::Index(_) | Expr::MethodCall(_) | Expr::Try(_)
        ),
    }
}

/// Moves the span of a leading temporary to the start of the source expression, for messages about the whole. A
/// temporary alone keeps the span of its await.
fn begin_at(value: &mut Expr, start: Span) {
    let Expr::Path(path) = value else { return };
    if let Some(segment) = path.path.segments.first_mut()
        && hygiene::is_hidden(&segment.ident)
    {
        segment.ident.set_span(segment.ident.span().located_at(start));
    }
}
