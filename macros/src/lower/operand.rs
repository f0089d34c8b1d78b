//! The operands of an expression, in evaluation order, and how it uses each.

use syn::{Expr, ExprBinary};

use crate::syntax::methods::takes;
use crate::syntax::operators::{is_assignment, is_comparison, place_is_first};

/// What an expression does with an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operand {
    /// Moves or copies it.
    Value,
    /// As `Value`, for the scrutinee of a pattern that shows whether the value is an `Option`.
    Matched,
    /// Borrows the place.
    Borrowed,
    /// Borrows the place, or copies a number.
    Compared,
    /// Uses the place without moving it: the left side of an assignment, the base of an index.
    Place,
    /// Borrows or copies the place; the signature of the method decides.
    Receiver,
    /// As `Receiver`, for a method that takes `self` by value.
    Taken,
}

impl Operand {
    pub(crate) fn is_value(self) -> bool {
        matches!(self, Self::Value | Self::Matched)
    }
}

/// The operands of an expression in evaluation order, if the expression evaluates all of them.
pub(crate) fn operands_mut(expr: &mut Expr) -> Option<Vec<(&mut Expr, Operand)>> {
    use Operand::{Borrowed, Compared, Place, Receiver, Taken, Value};
    Some(match expr {
        Expr::Array(expr) => expr.elems.iter_mut().map(|elem| (elem, Value)).collect(),
        Expr::Tuple(expr) => expr.elems.iter_mut().map(|elem| (elem, Value)).collect(),
        // The right side is evaluated first, then the place that it is assigned to.
        Expr::Assign(expr) => vec![(&mut expr.right, Value), (&mut expr.left, Place)],
        Expr::Binary(ExprBinary { left, op, right, .. }) => {
            if place_is_first(op, left, right) {
                vec![(left, Place), (right, Value)]
            } else if is_assignment(op) {
                vec![(right, Value), (left, Place)]
            } else if is_comparison(op) {
                vec![(left, Compared), (right, Compared)]
            } else {
                vec![(left, Value), (right, Value)]
            }
        }
        Expr::Call(expr) => {
            let mut operands = vec![(&mut *expr.func, Receiver)];
            operands.extend(expr.args.iter_mut().map(|argument| (argument, Value)));
            operands
        }
        Expr::MethodCall(expr) => {
            let kind = if takes(expr) { Taken } else { Receiver };
            let mut operands = vec![(&mut *expr.receiver, kind)];
            operands.extend(expr.args.iter_mut().map(|argument| (argument, Value)));
            operands
        }
        Expr::Struct(expr) => {
            let fields = expr.fields.iter_mut().map(|field| (&mut field.expr, Value));
            fields.chain(expr.rest.as_deref_mut().map(|rest| (rest, Borrowed))).collect()
        }
        Expr::Index(expr) => vec![(&mut expr.expr, Place), (&mut expr.index, Value)],
        Expr::Range(expr) => {
            let ends = [expr.start.as_deref_mut(), expr.end.as_deref_mut()];
            ends.into_iter().flatten().map(|end| (end, Value)).collect()
        }
        Expr::Repeat(expr) => vec![(&mut expr.expr, Value)],
        Expr::Cast(expr) => vec![(&mut expr.expr, Value)],
        Expr::Unary(expr) => vec![(&mut expr.expr, Value)],
        Expr::Try(expr) => vec![(&mut expr.expr, Value)],
        Expr::Field(expr) => vec![(&mut expr.base, Place)],
        Expr::Reference(expr) => vec![(&mut expr.expr, Place)],
        Expr::Paren(expr) => vec![(&mut expr.expr, Value)],
        Expr::Group(expr) => vec![(&mut expr.expr, Value)],
        _ => return None,
    })
}
