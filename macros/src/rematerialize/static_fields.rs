//! Fields of constants with `'static` borrows, held in a local: `let steps = stage.steps;`, with `struct Stage {
//! steps: &'static [Step] }` in a constant.
//!
//! Such a list cannot be saved. But a constant never changes, so the borrow is computed again from it, as
//! `&*stage.steps`. The struct's definition, if it is in the same file, shows that the field is a `'static` borrow.

use syn::{Expr, ExprReference, ExprUnary, Member, Pat, UnOp};

use super::borrowed_parts::borrow_of;
use crate::lower::Lower;
use crate::syntax::binding_modes::Bindings;
use crate::values::static_borrows::lasts;
use crate::values::text_types::declares_lasting;

impl Lower<'_> {
    /// How the expression is made again, if it is such a field.
    pub(crate) fn lasting_part(&self, part: &Expr) -> Option<Expr> {
        let field = match part {
            Expr::Paren(part) => return self.lasting_part(&part.expr),
            Expr::Field(field) => field,
            _ => return None,
        };
        let Member::Named(name) = &field.member else { return None };
        let is_lasting =
            self.is_place(part) && lasts(&self.locals, &field.base) && declares_lasting(name);
        is_lasting.then(|| syn::parse_quote_spanned!(name.span()=> &*#part))
    }

    /// Notes those of them that a pattern takes out of a place.
    pub(crate) fn note_lasting_parts(&mut self, pat: &Pat, place: &Expr) {
        if let Expr::Unary(ExprUnary { op: UnOp::Deref(_), expr: place, .. }) = place {
            return self.note_lasting_parts(pat, place);
        }
        if !(self.is_place(place) && lasts(&self.locals, place)) {
            return;
        }
        let borrowed: ExprReference = syn::parse_quote!(&#place);
        for ident in &Bindings::of(pat).all {
            let Some(local) = self.locals.find(ident).filter(|it| !self.locals[*it].mutable) else {
                continue;
            };
            if let Some(Expr::Reference(part)) = borrow_of(pat, place, ident, Some(&borrowed))
                && let Some(again) = self.lasting_part(&part.expr)
            {
                self.locals[local].remade = Some(again);
            }
        }
    }
}
