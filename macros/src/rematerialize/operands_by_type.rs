//! Operands that may be lookups, before another operand suspends.
//!
//! ```text
//! notify(orders.first(), rate().await)
//!   →   let kept = found(orders.first()).keep();
//!       let rate = rate().await;
//!       notify(kept(kept).again(|| orders.first()), rate)
//! ```
//!
//! The type of an operand is not written, and the method may be the user's own and return a value. So the type
//! decides: for a borrow nothing is kept; a value is kept, and `again` returns it without a call. If the following
//! code may change the receiver, only a value is valid, and it is saved.

use syn::Expr;
use syn::spanned::Spanned;

use super::entries::copied_key;
use super::interference::Changed;
use crate::ir::Shape;
use crate::ir::usage::{Place, Usage};
use crate::lower::Lower;
use crate::syntax::build::let_stmt;
use crate::syntax::forms::gives_option;
use crate::syntax::methods::{Fact, is, tried};
use crate::values::runtime_calls::function;
use crate::values::shapes;

impl Lower<'_> {
    /// As [`spill_lent`](Self::spill_lent), of an operand of which only its type says whether it is lent.
    pub(crate) fn spill_asked(&mut self, value: Expr, changed: &Changed) -> Expr {
        let is_known = shapes::of_value(&self.locals, &self.shapes, &value) != Shape::Unknown;
        if is_known || !may_give_option(&value) || self.borrows().fills(&value) {
            return self.spill_lent(value);
        }
        let mut value = self.keep_found(value);
        self.copy_lost_keys(&mut value, changed);
        let again = self.borrows().lent(&value).and_then(asked);
        let Some(again) = again.filter(|again| !self.may_be_lost(again, changed)) else {
            return self.spill_lent(value);
        };
        let local = self.temporary(&value);
        self.locals[local].may_be_text = false;
        let (pat, path, span) = (self.locals.pattern(local), self.locals.path(local), value.span());
        let keep = syn::parse_quote_spanned!(span=> ::piton::__private::found(#value).piton_keep());
        self.code(let_stmt(pat, keep));
        syn::parse_quote_spanned!(span=> ::piton::__private::kept(#path).again(|| #again))
    }

    /// Whether what follows may change or use up what an expression names. A borrow stays where it is.
    fn may_be_lost(&self, expr: &Expr, changed: &Changed) -> bool {
        let named = Usage::of_expr(&self.locals, expr).named();
        let is_spent =
            |place: &Place| self.locals[place.local].remade.is_none() && changed.may_spend(place);
        named.iter().any(|place| changed.may_change_lent(place) || is_spent(place))
    }

    /// Copies what a chain looks for that what follows may change or use up.
    fn copy_lost_keys(&mut self, chain: &mut Expr, changed: &Changed) {
        match chain {
            Expr::Paren(expr) => self.copy_lost_keys(&mut expr.expr, changed),
            Expr::Try(expr) => self.copy_lost_keys(&mut expr.expr, changed),
            Expr::Field(expr) => self.copy_lost_keys(&mut expr.base, changed),
            Expr::Index(expr) => {
                self.copy_lost_keys(&mut expr.expr, changed);
                self.copy_if_lost(&mut expr.index, changed);
            }
            Expr::MethodCall(call) => {
                self.copy_lost_keys(&mut call.receiver, changed);
                call.args.iter_mut().for_each(|key| self.copy_if_lost(key, changed));
            }
            _ => {}
        }
    }

    fn copy_if_lost(&mut self, key: &mut Expr, changed: &Changed) {
        match key {
            Expr::Reference(key) => self.copy_if_lost(&mut key.expr, changed),
            Expr::Path(_) | Expr::Field(_)
                if self.borrows().is_place(key) && self.may_be_lost(key, changed) =>
            {
                let copy = copied_key(key, key.span());
                self.borrowed += 1;
                *key = self.spill(copy);
            }
            _ => {}
        }
    }
}

/// Whether the expression asks a method for what would be lent in an `Option`, and may open that.
fn may_give_option(value: &Expr) -> bool {
    match value {
        Expr::Paren(expr) => may_give_option(&expr.expr),
        Expr::Try(expr) => may_give_option(tried(expr)),
        Expr::MethodCall(call) if is(call, Fact::Opens) || is(call, Fact::Defaults) => {
            may_give_option(&call.receiver)
        }
        value => gives_option(value),
    }
}

/// What asks for something again, without telling rustc what that is borrowed from; `None` of what is lent to
/// be changed.
fn asked(lent: Expr) -> Option<Expr> {
    let Expr::Call(mut call) = lent else { return None };
    match function(&call)?.as_str() {
        "lent_by" => call.args.pop(),
        "opened" => {
            let opened = call.args.pop()?;
            call.args.push(asked(opened)?);
            Some(Expr::Call(call))
        }
        _ => None,
    }
}
