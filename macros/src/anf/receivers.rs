//! Receivers of methods that are temporaries and live until the end of the statement.
//!
//! Where an expression is evaluated before the rest of its statement, or as the head of a loop, such a receiver is
//! moved to a temporary of the statement or the loop. The operands before it are evaluated first, as before an await.

use quote::quote;
use syn::visit::{self, Visit};
use syn::{Expr, ExprMethodCall, Pat};

use crate::ir::locals::local_of;
use crate::lower::Lower;
use crate::lower::borrows::Borrows;
use crate::lower::operand::{Operand, operands_mut};
use crate::syntax::forms::{is_made, is_new_value};
use crate::syntax::macros;
use crate::syntax::macros::Piece;
use crate::syntax::methods::gives_own;
use crate::syntax::operators::is_lazy;
use crate::syntax::patterns::bindings;

impl Lower<'_> {
    /// Extends the life of a scrutinee, and of the receivers in it, to the end of the `match` or `let`.
    pub(crate) fn keep_matched(&mut self, value: Expr, pats: &[&Pat]) -> Expr {
        let is_value =
            self.borrows().is_value(&value) && !self.borrows().are_shared_borrows(&value);
        let stays = leaves_value(pats) && is_value;
        let mut value = self.keep_receiver(value);
        if stays {
            return self.keep(value);
        }
        for (lender, _) in self.borrows().lenders(&mut value, pats, false) {
            *lender = self.spill_lent(std::mem::replace(lender, Expr::PLACEHOLDER));
            self.count_kept();
        }
        self.save_keys_for(pats, value)
    }

    /// Keeps a temporary whose parts the patterns do not bind until the end of the statement.
    fn end_with_statement(&mut self, matched: &Expr, pats: &[&Pat]) {
        let is_temporary =
            local_of(&self.locals, matched).is_some_and(|local| self.locals[local].is_temporary);
        if is_temporary && pats.iter().any(|pat| leaves_part(pat)) && !is_any_plain(pats) {
            self.kept_temporaries += 1;
        }
    }

    /// Hoists the awaits of a scrutinee, whose temporaries the patterns use, and lets `keep` save what they bind of it.
    pub(super) fn scrutinee(
        &mut self,
        value: Expr,
        pats: &[&Pat],
        keep: impl FnOnce(&mut Self, Expr) -> Expr,
    ) -> Expr {
        let user = self.locals.fingerprint(&quote!(#(#pats)|*));
        self.used_by(user, |this| {
            let value = this.hoist_matched(value);
            this.end_with_statement(&value, pats);
            keep(this, value)
        })
    }

    /// Moves the receivers that the value borrows from to temporaries.
    pub(crate) fn keep_receiver(&mut self, mut value: Expr) -> Expr {
        if !has_receiver(&mut value) {
            return value;
        }
        match value {
            Expr::MethodCall(mut call) if is_looked_at(&call) => {
                let receiver = self.keep_receiver(*call.receiver);
                *call.receiver = self.keep(receiver);
                Expr::MethodCall(call)
            }
            Expr::Binary(mut expr) if is_lazy(&expr.op) => {
                *expr.left = self.keep_receiver(*expr.left);
                Expr::Binary(expr)
            }
            Expr::Macro(mut call) => {
                let mut pieces = macros::parse(&call.mac).unwrap_or_default();
                let values = pieces.iter_mut().filter_map(|piece| match piece {
                    Piece::Expr(expr, _) => Some((&mut **expr, Operand::Value)),
                    Piece::Tokens(_) => None,
                });
                self.keep_operands(values.collect());
                call.mac.tokens = macros::unparse(&pieces);
                Expr::Macro(call)
            }
            mut value => {
                if let Some(operands) = operands_mut(&mut value) {
                    self.keep_operands(operands);
                }
                value
            }
        }
    }

    /// Evaluates the operands up to the last one with a receiver that must be kept.
    fn keep_operands(&mut self, places: Vec<(&mut Expr, Operand)>) {
        let (places, kinds): (Vec<&mut Expr>, Vec<Operand>) = places.into_iter().unzip();
        let mut places = places;
        let taken = places.iter_mut().map(|place| std::mem::replace(*place, Expr::PLACEHOLDER));
        let mut operands: Vec<(Expr, Operand)> = taken.zip(kinds).collect();
        let last = operands.iter_mut().rposition(|(operand, _)| has_receiver(operand));
        let changed = self.changed_after(&operands, last);
        for (index, ((operand, kind), place)) in operands.into_iter().zip(places).enumerate() {
            *place = match last {
                Some(last) if index < last => self.stabilize(operand, kind, &changed[index]),
                Some(last) if index == last => self.keep_receiver(operand),
                _ => operand,
            };
        }
    }
}

impl Borrows<'_> {
    /// Whether the expression creates a value that borrows from no temporary.
    pub(crate) fn is_value(&self, expr: &Expr) -> bool {
        is_new_value(expr) || self.is_made_of_temporary(expr)
    }
}

/// Whether one of the patterns binds nothing and the scrutinee may need a drop.
pub(crate) fn leaves_value(pats: &[&Pat]) -> bool {
    pats.iter().any(|pat| bindings(pat).is_empty()) && !is_any_plain(pats)
}

/// Whether the pattern leaves the scrutinee, or a part of it, in place.
fn leaves_part(pat: &Pat) -> bool {
    struct Leaves(bool);
    impl Visit<'_> for Leaves {
        fn visit_pat(&mut self, pat: &Pat) {
            self.0 |= match pat {
                Pat::Wild(_) | Pat::Rest(_) => true,
                Pat::Ident(pat) => pat.by_ref.is_some(),
                Pat::Struct(pat) => pat.rest.is_some(),
                _ => false,
            };
            visit::visit_pat(self, pat);
        }
        fn visit_expr(&mut self, _: &Expr) {}
    }
    let mut leaves = Leaves(false);
    leaves.visit_pat(pat);
    leaves.0
}

fn is_any_plain(pats: &[&Pat]) -> bool {
    pats.iter().any(|pat| is_plain(pat))
}

fn is_plain(pat: &Pat) -> bool {
    match pat {
        Pat::Lit(_) | Pat::Range(_) => true,
        Pat::Guard(pat) => is_plain(&pat.pat),
        Pat::Paren(pat) => is_plain(&pat.pat),
        Pat::Or(pat) => pat.cases.iter().any(is_plain),
        _ => false,
    }
}

/// Whether the value borrows from a receiver that must be kept. `value` is not changed.
pub(crate) fn has_receiver(value: &mut Expr) -> bool {
    match value {
        Expr::MethodCall(call) if is_looked_at(call) => true,
        Expr::Binary(expr) if is_lazy(&expr.op) => has_receiver(&mut expr.left),
        Expr::Macro(call) if macros::name(&call.mac) == "vec" => {
            let pieces = macros::parse(&call.mac).unwrap_or_default();
            pieces.into_iter().any(|piece| match piece {
                Piece::Expr(mut value, _) => has_receiver(&mut value),
                Piece::Tokens(_) => false,
            })
        }
        Expr::Macro(_) => false,
        value => {
            let operands = operands_mut(value).unwrap_or_default();
            operands.into_iter().any(|(operand, _)| has_receiver(operand))
        }
    }
}

/// Whether the method returns an owned value, and its receiver is a temporary.
fn is_looked_at(call: &ExprMethodCall) -> bool {
    let receiver = &*call.receiver;
    gives_own(call) && (is_made(receiver) || is_given(receiver) || is_collected(receiver))
}

/// Whether branches select the value.
fn is_given(expr: &Expr) -> bool {
    match expr {
        Expr::Paren(paren) => is_given(&paren.expr),
        Expr::If(_) | Expr::Match(_) => true,
        _ => false,
    }
}

/// Whether the expression is a collection whose items borrow from no temporary.
fn is_collected(expr: &Expr) -> bool {
    fn lasts(items: &Expr) -> bool {
        match items {
            Expr::Path(_) => true,
            Expr::Field(items) => lasts(&items.base),
            Expr::MethodCall(call) => {
                lasts(&call.receiver) || call.method.to_string().starts_with("into_")
            }
            _ => false,
        }
    }
    matches!(expr, Expr::MethodCall(call) if call.method == "collect" && lasts(&call.receiver))
}
