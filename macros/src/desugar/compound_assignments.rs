//! Compound assignments, `place += value.await`.
//!
//! For numbers, rustc evaluates the right operand first and then the place. An `AddAssign` of another type is a
//! method call, whose operands are evaluated from left to right. The macro does not know types: it treats a borrow
//! on the right as a sign of a method call, and everything else as numbers. Where the order could make a
//! difference, rustc checks that they are numbers.

use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Expr, ExprAwait, ExprBinary, UnOp};

use crate::ir::usage::Usage;
use crate::lower::borrows::Borrows;
use crate::syntax::calls::is_constructor;
use crate::syntax::methods::{Fact, is_any, is_one_of};
use crate::syntax::operators::{is_assignment, place_is_first};
use crate::syntax::suspend;

/// The await on the left side of an assignment, which rustc refuses.
pub(crate) fn assigned_value(expr: &Expr) -> Option<&ExprAwait> {
    let mut left = match expr {
        Expr::Assign(expr) => &*expr.left,
        Expr::Binary(expr) if is_assignment(&expr.op) => &*expr.left,
        _ => return None,
    };
    loop {
        left = match left {
            Expr::Paren(expr) => &expr.expr,
            Expr::Group(expr) => &expr.expr,
            Expr::Await(value) => return Some(value),
            _ => return None,
        };
    }
}

/// Whether the place is the same at each evaluation.
fn is_fixed(place: &Expr) -> bool {
    match place {
        Expr::Path(_) => true,
        Expr::Field(place) => is_fixed(&place.base),
        Expr::Paren(place) => is_fixed(&place.expr),
        Expr::Unary(place) => matches!(place.op, UnOp::Deref(_)) && is_fixed(&place.expr),
        _ => false,
    }
}

impl Borrows<'_> {
    /// Whether the expression is a compound assignment in which it is observable that the value is evaluated before the
    /// place.
    pub(crate) fn is_only_of_numbers(&self, expr: &Expr) -> bool {
        let Expr::Binary(ExprBinary { left: place, op, right: value, .. }) = expr else {
            return false;
        };
        if !is_assignment(op) || is_fixed(place) || place_is_first(op, place, value) {
            return false;
        }
        let mut calls = Calls(false);
        calls.visit_expr(if suspend::expr(value) { place } else { value });
        calls.0 || self.changes_what_is_in(place, value) || self.changes_what_is_in(value, place)
    }

    fn changes_what_is_in(&self, expr: &Expr, other: &Expr) -> bool {
        let named = Usage::of_expr(self.locals, expr).mentions;
        !named.is_disjoint(&Usage::of_expr(self.locals, other).mutated)
    }
}

/// Lets rustc check that a place is a number.
pub(crate) fn only_of_numbers(place: &mut Expr) {
    *place = syn::parse_quote_spanned!(place.span()=> *::piton::__private::number(&mut #place));
}

/// Whether the code may call a user's function.
struct Calls(bool);

impl<'ast> Visit<'ast> for Calls {
    fn visit_expr(&mut self, expr: &'ast Expr) {
        /// Methods of the standard library that change nothing. Methods that insert an entry or return a mutable borrow
        /// are not in the list.
        const LOOKING: [&str; 14] = [
            "abs",
            "as_mut",
            "as_ref",
            "as_str",
            "clone",
            "entry",
            "expect",
            "is_empty",
            "len",
            "max",
            "min",
            "to_owned",
            "to_string",
            "unwrap",
        ];
        match expr {
            Expr::Lit(_)
            | Expr::Path(_)
            | Expr::Field(_)
            | Expr::Index(_)
            | Expr::Paren(_)
            | Expr::Group(_)
            | Expr::Unary(_)
            | Expr::Reference(_)
            | Expr::Cast(_)
            | Expr::Binary(_)
            | Expr::Range(_)
            | Expr::Struct(_)
            | Expr::Tuple(_) => visit::visit_expr(self, expr),
            Expr::Call(call) if is_constructor(&call.func) => {
                call.args.iter().for_each(|argument| self.visit_expr(argument));
            }
            Expr::MethodCall(call)
                if is_one_of(&LOOKING, call) || is_any(call, &[Fact::Inserts, Fact::PartMut]) =>
            {
                visit::visit_expr(self, expr);
            }
            _ => self.0 = true,
        }
    }
}
