//! Temporaries in the branches of a `let` that are borrowed: `let page = if known { &old } else { &load(n).await
//! };`.
//!
//! ```text
//! let page = if known { &old } else { &load(n).await };
//!
//! let mut value = None;
//! let page = if known { &old } else { value = Some(load(n).await); value.as_ref().unwrap() };
//! ```
//!
//! rustc extends the life of such a temporary to the end of the block around the `let`.

use syn::spanned::Spanned;
use syn::{Expr, Stmt};

use super::branch_values::each_branch;
use super::extended_temporaries::lender;
use crate::ir::LocalKind;
use crate::lower::Lower;
use crate::syntax::branches::awaits_in_branch;
use crate::syntax::build::let_stmt;

impl Lower<'_> {
    /// Declares a local for each value that a branch of the statement makes to borrow from it, if what that
    /// binds is named behind an await.
    pub(crate) fn name_lenders_of_branches(&mut self, local: &mut syn::Local) {
        let Some(init) = local.init.as_ref().filter(|init| init.diverge.is_none()) else { return };
        let has_ends = match &*init.expr {
            Expr::If(_) | Expr::Match(_) => true,
            Expr::Block(block) => block.label.is_none(),
            _ => false,
        };
        if !has_ends || !(awaits_in_branch(&init.expr) || self.is_held(local)) {
            return;
        }
        let Some(mut init) = local.init.take() else { return };
        let mut made = Vec::new();
        each_branch(&mut init.expr, &mut Vec::new(), &mut |given, _| {
            self.lend_from_local(given, &mut made);
            Some(())
        });
        made.into_iter().for_each(|lender| self.local(lender));
        local.init = Some(init);
    }

    /// Has a branch give a borrow of a local, if it gives one of a value that it makes.
    fn lend_from_local(&mut self, given: &mut Expr, made: &mut Vec<syn::Local>) {
        if self.lends_part(given) || self.is_remade(given) {
            return;
        }
        let Expr::Reference(borrow) = &mut *given else { return };
        if has_deref(&borrow.expr) {
            return;
        }
        let is_mutable = borrow.mutability.is_some();
        let Some(value) = lender(&mut borrow.expr) else { return };
        let span = value.span();
        let id = self.new_temporary(&self.name_of_value(value), LocalKind::Value, span);
        let path = self.path(id);
        let method = if is_mutable { "as_mut" } else { "as_ref" };
        let method = syn::Ident::new(method, span);
        let lent: Expr = syn::parse_quote_spanned!(span=> #path.#method().unwrap());
        let value = std::mem::replace(value, lent.clone());
        let is_whole = *borrow.expr == lent;
        let lent = if is_whole { lent } else { given.clone() };
        *given = syn::parse_quote_spanned!(span=> {
            #path = ::core::option::Option::Some(#value);
            #lent
        });
        let none = syn::parse_quote_spanned!(span=> ::core::option::Option::None);
        let Stmt::Local(declared) = let_stmt(self.local_pat(id), none) else { return };
        made.push(declared);
    }
}

/// Whether something is dereferenced on the way to the value that an expression is a part of.
fn has_deref(part: &Expr) -> bool {
    match part {
        Expr::Field(expr) => has_deref(&expr.base),
        Expr::Index(expr) => has_deref(&expr.expr),
        Expr::Paren(expr) => has_deref(&expr.expr),
        Expr::Unary(expr) => matches!(expr.op, syn::UnOp::Deref(_)),
        _ => false,
    }
}
