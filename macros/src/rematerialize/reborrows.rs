//! Parts of a mutable borrow that several branches use.
//!
//! ```text
//! let order = &mut shop.open;
//! join!(async { order.paid += 1 }, async { order.lines.push(7) })
//! →
//! join!(async { shop.open.paid += 1 }, async { shop.open.lines.push(7) })
//! ```
//!
//! Each branch computes the borrow again, and two branches cannot do so at the same time. A block that names the
//! place itself captures only the parts that it uses, as in the source.

use quote::ToTokens;
use syn::visit_mut::{self, VisitMut};
use syn::{Expr, ExprAsync, ExprClosure, Ident, Macro};

use crate::collections::sets::Set;
use crate::ir::{LocalId, Locals};
use crate::lower::Lower;
use crate::syntax::build::{let_stmt, wild_pat};
use crate::syntax::macros;
use crate::syntax::select::visit_code_mut;

impl Lower<'_> {
    /// Has the blocks among these branches name parts of places where they name those of borrows.
    pub(crate) fn see_through(&mut self, branches: &mut [&mut Expr]) {
        let mut blocks: Vec<&mut Expr> = Vec::new();
        for branch in branches {
            if matches!(&**branch, Expr::Async(block) if block.capture.is_none()) {
                blocks.push(&mut **branch);
            }
        }
        if blocks.len() < 2 {
            return;
        }
        let borrows = self.locals.ids().filter(|id| {
            let users = || blocks.iter().filter(|it| names(it, &self.locals[*id].ident));
            self.place_of(*id).is_some() && users().count() > 1
        });
        for id in borrows.collect::<Vec<_>>() {
            let (Some(place), borrow) = (self.place_of(id), self.locals[id].ident.clone()) else {
                continue;
            };
            let mut seen = Vec::new();
            for block in &blocks {
                let mut block = Expr::clone(block);
                Through { borrow: &borrow, place: &place }.visit_expr_mut(&mut block);
                seen.push(block);
            }
            if seen.iter().any(|block| names(block, &borrow)) {
                continue;
            }
            for (block, seen) in blocks.iter_mut().zip(seen) {
                **block = seen;
            }
            self.locals[id].is_seen_through = true;
            // It is used by that.
            self.code(let_stmt(wild_pat(), syn::parse_quote!(&#borrow)));
        }
    }

    /// The local or the part of one that a local borrows to change it.
    fn place_of(&self, id: LocalId) -> Option<Expr> {
        let mut roots = Set::from([id]);
        let mut place = borrowed(&self.locals, id)?;
        // What it borrows from may be a borrow itself.
        while let Some(root) = root_of(&self.locals, &place) {
            let Some(inner) = borrowed(&self.locals, root) else {
                return self.locals[root].remade.is_none().then_some(place);
            };
            if !roots.insert(root) {
                return None;
            }
            let borrow = self.locals[root].ident.clone();
            Through { borrow: &borrow, place: &inner }.visit_expr_mut(&mut place);
            if root_of(&self.locals, &place) == Some(root) {
                return None;
            }
        }
        None
    }
}

/// Whether the local is named.
fn names(block: &Expr, local: &Ident) -> bool {
    let mut found = false;
    macros::scan_names(&block.to_token_stream(), &mut |name| found |= local == name);
    found
}

fn borrowed(locals: &Locals, id: LocalId) -> Option<Expr> {
    match &locals[id].remade {
        Some(Expr::Reference(made)) if made.mutability.is_some() => Some((*made.expr).clone()),
        _ => None,
    }
}

/// The local that a place is, or is a field of.
fn root_of(locals: &Locals, place: &Expr) -> Option<LocalId> {
    match place {
        Expr::Path(path) => locals.find(path.path.get_ident()?),
        Expr::Field(field) => root_of(locals, &field.base),
        Expr::Paren(place) => root_of(locals, &place.expr),
        _ => None,
    }
}

/// Puts a place where a field of a borrow is named.
struct Through<'a> {
    borrow: &'a Ident,
    place: &'a Expr,
}

impl VisitMut for Through<'_> {
    fn visit_expr_field_mut(&mut self, field: &mut syn::ExprField) {
        match &*field.base {
            Expr::Path(path) if path.path.is_ident(self.borrow) => {
                *field.base = self.place.clone();
            }
            _ => visit_mut::visit_expr_field_mut(self, field),
        }
    }

    // These take over what they name.
    fn visit_expr_async_mut(&mut self, block: &mut ExprAsync) {
        if block.capture.is_none() {
            visit_mut::visit_expr_async_mut(self, block);
        }
    }

    fn visit_expr_closure_mut(&mut self, closure: &mut ExprClosure) {
        if closure.capture.is_none() {
            visit_mut::visit_expr_closure_mut(self, closure);
        }
    }

    fn visit_macro_mut(&mut self, mac: &mut Macro) {
        visit_code_mut(mac, self);
    }
}
