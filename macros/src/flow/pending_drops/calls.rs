//! Whether what a call gives holds a borrow, and what may keep one that it is given.

use syn::{Expr, ExprCall, ExprMethodCall};

use super::values::Values;
use crate::ir::locals::local_of;
use crate::syntax::calls::is_constructor;
use crate::syntax::methods::{compares, gives_own, only_looks, takes_receiver};

impl Values<'_> {
    pub(super) fn call(&mut self, call: &ExprCall) -> bool {
        let borrows = self.arguments(&call.args, !is_constructor(&call.func));
        // There is nothing else that a function could put into what its only borrow is of.
        if let [_, _, ..] = borrows[..] {
            borrows.iter().for_each(|borrow| self.keep(borrow));
        }
        self.is_function(&call.func) && borrows.is_empty()
    }

    fn is_function(&mut self, called: &Expr) -> bool {
        match called {
            Expr::Path(path) => path.path.get_ident().is_none_or(|ident| {
                self.inner.find(ident).is_none() && self.graph.locals.find(ident).is_none()
            }),
            called => self.value(called),
        }
    }

    pub(super) fn method(&mut self, call: &ExprMethodCall) -> bool {
        let receiver = self.value(lent_to(call));
        let arguments = self.arguments(&call.args, true);
        if only_looks(call) {
            return receiver;
        }
        if compares(call) {
            return true;
        }
        // What it is called on may keep what it is given.
        if !arguments.is_empty() {
            arguments.iter().chain([&&*call.receiver]).for_each(|operand| self.keep(operand));
        }
        let is_gone = self.outlives_temporaries || takes_receiver(call);
        let is_place = local_of(&self.graph.locals, &call.receiver).is_some();
        if is_place && !(is_gone && self.is_temporary(&call.receiver)) {
            receiver && gives_own(call)
        } else {
            receiver && arguments.is_empty()
        }
    }

    /// As [`borrows`](Self::borrows), of what is called. Unless it is a constructor, whose value holds them, it
    /// `ends_borrows` of temporaries: what outlives those has none.
    fn arguments<'e>(
        &mut self,
        arguments: impl IntoIterator<Item = &'e Expr>,
        ends_borrows: bool,
    ) -> Vec<&'e Expr> {
        let mut borrows = self.borrows(arguments);
        if ends_borrows && self.outlives_temporaries {
            borrows.retain(|argument| match argument {
                Expr::Reference(lent) => !self.is_temporary(&lent.expr),
                _ => true,
            });
        }
        borrows
    }

    fn is_temporary(&self, place: &Expr) -> bool {
        let locals = &self.graph.locals;
        local_of(locals, place).is_some_and(|local| locals[local].is_temporary)
    }
}

/// What a method is called on. If its value is its own, and it is called on a borrow of what a block gives
/// or a call makes, that is what is lent: the borrow ends with the statement.
fn lent_to(call: &ExprMethodCall) -> &Expr {
    let mut receiver = &*call.receiver;
    while let Expr::Paren(paren) = receiver {
        receiver = &paren.expr;
    }
    match receiver {
        Expr::Reference(lent)
            if gives_own(call) && matches!(*lent.expr, Expr::Block(_) | Expr::Call(_)) =>
        {
            &lent.expr
        }
        _ => &call.receiver,
    }
}
