//! `for` loops over an array of borrows: `for list in [&ours, &theirs]`, `for (name, list) in [("ours", &ours),
//! ("theirs", &theirs)]`.
//!
//! The array is evaluated again as written, since nothing in it can change meanwhile. So the loop saves only its
//! position.

use syn::Expr;

use crate::lower::Lower;
use crate::syntax::methods::{Fact, is};

impl Lower<'_> {
    /// Whether an iterable gives borrows, or borrows beside constants, one after the other.
    pub(crate) fn has_rows_of_borrows(&self, iterable: &Expr) -> bool {
        match iterable {
            Expr::Paren(expr) => self.has_rows_of_borrows(&expr.expr),
            Expr::Array(rows) => {
                rows.elems.iter().all(|row| self.is_row(row))
                    && rows.elems.iter().any(|row| self.has_borrow(row))
            }
            Expr::MethodCall(call) if call.method == "into_iter" => {
                matches!(*call.receiver, Expr::Array(_)) && self.has_rows_of_borrows(&call.receiver)
            }
            Expr::MethodCall(call) => {
                is(call, Fact::Adapts)
                    && self.has_rows_of_borrows(&call.receiver)
                    && matches!(*call.receiver, Expr::MethodCall(_))
                    && call.args.iter().all(|arg| self.is_fixed(arg))
            }
            _ => false,
        }
    }

    fn is_row(&self, row: &Expr) -> bool {
        match row {
            Expr::Tuple(row) => row.elems.iter().all(|part| self.is_row(part)),
            row => self.has_borrow(row) || self.is_constant(row),
        }
    }

    fn has_borrow(&self, row: &Expr) -> bool {
        match row {
            Expr::Tuple(row) => row.elems.iter().any(|part| self.has_borrow(part)),
            Expr::Reference(expr) => self.is_place(&expr.expr) && !self.is_constant(&expr.expr),
            row => self.is_shared_borrow(row),
        }
    }
}
