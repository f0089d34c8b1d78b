//! `for` loops over a part of the items of another loop: `for stage in STAGES { for step in stage.steps { … } }`.
//!
//! Items of a constant and borrowed items are rematerialized at each use. A part that is copied or moved out of one is
//! rematerialized as well, and the inner loop saves only its position in that part.

use syn::{Expr, ExprUnary, UnOp};

use crate::lower::borrows::Borrows;
use crate::syntax::methods;
use crate::values::runtime_calls;

impl Borrows<'_> {
    /// Substitutes the expression that rematerializes the item for the item's name in `iterable`. Otherwise each round
    /// would move the part out of a variable.
    pub(crate) fn make_item_again(&self, iterable: Expr) -> Expr {
        let mut again = iterable.clone();
        let mut part = &mut again;
        while base_of_part(part).is_some() {
            match part {
                Expr::Field(expr) => part = &mut expr.base,
                Expr::Unary(expr) => part = &mut expr.expr,
                Expr::Paren(expr) => part = &mut expr.expr,
                _ => break,
            }
        }
        match self.rematerialization_of(part).filter(|item| is_item(item)) {
            Some(item) => {
                *part = item.clone();
                again
            }
            None => iterable,
        }
    }
}

/// The base of a projection.
pub(crate) fn base_of_part(part: &Expr) -> Option<&Expr> {
    match part {
        Expr::Field(expr) => Some(&expr.base),
        Expr::Unary(ExprUnary { op: UnOp::Deref(_), expr, .. }) => Some(expr),
        Expr::Paren(expr) => Some(&expr.expr),
        _ => None,
    }
}

/// Whether the expression rematerializes an item of a loop, or projects one.
pub(crate) fn is_of_item(expr: &Expr) -> bool {
    is_item(expr) || base_of_part(expr).is_some_and(is_of_item)
}

/// Whether the expression rematerializes an item of a loop that is not borrowed mutably, or a binding of a pattern on
/// one.
fn is_item(made: &Expr) -> bool {
    match made {
        Expr::Match(made) => is_item(&made.expr),
        Expr::Call(call) => match runtime_calls::function(call).as_deref() {
            Some("current_copy") => true,
            Some("current_item") => call.args.first().is_some_and(methods::is_shared),
            _ => false,
        },
        _ => false,
    }
}
