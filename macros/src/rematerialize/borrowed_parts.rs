//! Parts that a `let` pattern borrows, each computed again separately.

use syn::punctuated::Punctuated;
use syn::{Expr, ExprReference, Ident, Member, Pat, Token};

use crate::ir::usage::Place;
use crate::lower::Lower;
use crate::syntax::binding_modes::Bindings;
use crate::syntax::calls::is_struct;

impl Lower<'_> {
    /// As `note_borrows`, of a `let`: what it binds is borrowed by itself. Beside parts that are moved out the whole
    /// could not be looked at again, and of two parts each may be for another branch.
    pub(crate) fn note_borrows_of_parts(&mut self, pat: &Pat, value: &Expr) {
        let bindings = Bindings::of(pat);
        // Beside a local or a field of one its other fields can be borrowed.
        let is_field = |of: &Expr| Place::of(of, &|ident| self.locals.find(ident)).is_some();
        let (place, borrowed) = match value {
            Expr::Reference(borrow) if is_field(&borrow.expr) => (&*borrow.expr, Some(borrow)),
            value => (value, None),
        };
        if bindings.are_by_ref || !self.borrows().is_place(place) {
            return;
        }
        let idents = if borrowed.is_some() { bindings.all } else { bindings.by_ref };
        for ident in &idents {
            let Some(local) = self.locals.find(ident) else { continue };
            let local = &mut self.locals[local];
            let is_together = local.made_with.is_some();
            if (is_together || borrowed.is_none())
                && let Some(borrow) = borrow_of(pat, place, ident, borrowed)
            {
                (local.remade, local.made_with) = (Some(borrow), None);
            }
        }
    }
}

/// The borrow of the part of a place that a pattern which matches everything binds, by `ref` or because all of
/// the place is `borrowed`.
pub(crate) fn borrow_of(
    pat: &Pat,
    place: &Expr,
    ident: &Ident,
    borrowed: Option<&ExprReference>,
) -> Option<Expr> {
    let member = |member: Member| syn::parse_quote!(#place.#member);
    let numbered = |pats: &Punctuated<Pat, Token![,]>| {
        let known = pats.iter().take_while(|part| !matches!(part, Pat::Rest(_)));
        let mut parts = known.enumerate();
        parts.find_map(|(index, part)| borrow_of(part, &member(index.into()), ident, borrowed))
    };
    match pat {
        Pat::Ident(pat) if pat.ident == *ident && pat.subpat.is_none() => {
            let mutable = match borrowed {
                Some(borrowed) if pat.by_ref.is_none() => &borrowed.mutability,
                _ => pat.by_ref.as_ref().map(|_| &pat.mutability)?,
            };
            Some(syn::parse_quote_spanned!(ident.span()=> & #mutable #place))
        }
        Pat::Struct(pat) if is_struct(&pat.path) => pat.fields.iter().find_map(|field| {
            borrow_of(&field.pat, &member(field.member.clone()), ident, borrowed)
        }),
        Pat::Tuple(pat) => numbered(&pat.elems),
        Pat::TupleStruct(pat) if is_struct(&pat.path) => numbered(&pat.elems),
        _ => None,
    }
}
