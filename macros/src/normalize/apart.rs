//! Patterns that take parts of a local, as a value of each part: `let Order { lines, id, .. } = order;` becomes
//! `let (lines, id) = (order.lines, order.id);`. So it is known that no more of the local is taken than that: in
//! the block of a branch, and where something else is taken of the same local after an await. It is the same where
//! each binding is one by value, and the local is no borrow.

use std::collections::BTreeSet;

use syn::visit::{self, Visit};
use syn::visit_mut::{self, VisitMut};
use syn::{Block, Expr, ExprClosure, Ident, Item, Local, Member, Pat, PatIdent, Path};

use super::Lower;
use crate::ir::Locals;
use crate::parts;
use crate::usage::Place;

impl Lower<'_> {
    /// Writes the pattern of a statement so, if it takes parts of a local of which others are needed later.
    pub(super) fn take_in_parts(&mut self, local: &mut Local) {
        let Some(init) = local.init.as_ref().filter(|init| init.diverge.is_none()) else { return };
        let Some(place) = Place::of(&init.expr, &|ident| self.locals.find(ident)) else { return };
        if !self.again.taken_apart.contains(&self.locals[place.local].ident) {
            return;
        }
        let Some(bound) = fields(&local.pat, &init.expr, true) else { return };
        if self.in_parts.insert(place.local) {
            // How many parts there are rustc sees where all of them are still there.
            let (all, value) = (parts::tested(&local.pat), &init.expr);
            self.code(syn::parse_quote!(if false { let #all = &#value; }));
        }
        bind(local, bound);
    }
}

/// Lets the statement bind each part by itself.
fn bind(local: &mut Local, bound: Vec<(Pat, Expr)>) {
    let (pats, values): (Vec<_>, Vec<_>) = bound.into_iter().unzip();
    local.pat = syn::parse_quote!((#(#pats,)*));
    if let Some(init) = &mut local.init {
        *init.expr = syn::parse_quote!((#(#values,)*));
    }
}

/// Writes such patterns in the block of a branch so.
pub(super) fn take_apart(locals: &Locals, block: &mut Block) {
    let mut bound = Bound(BTreeSet::new());
    bound.visit_block(block);
    Apart { locals, inner: bound.0 }.visit_block_mut(block);
}

/// The names that are bound.
struct Bound(BTreeSet<Ident>);

impl Visit<'_> for Bound {
    fn visit_pat_ident(&mut self, pat: &PatIdent) {
        self.0.insert(pat.ident.clone());
        visit::visit_pat_ident(self, pat);
    }
}

struct Apart<'a> {
    locals: &'a Locals,
    /// What the block binds itself, of which it is not known yet whether it is a borrow.
    inner: BTreeSet<Ident>,
}

impl Apart<'_> {
    fn is_place(&self, expr: &Expr) -> bool {
        let find = |ident: &Ident| self.locals.find(ident).filter(|_| !self.inner.contains(ident));
        Place::of(expr, &find).is_some_and(|place| self.locals[place.local].remade.is_none())
    }
}

impl VisitMut for Apart<'_> {
    fn visit_local_mut(&mut self, local: &mut Local) {
        if let Some(init) = &local.init
            && init.diverge.is_none()
            && self.is_place(&init.expr)
            && let Some(bound) = fields(&local.pat, &init.expr, false)
        {
            bind(local, bound);
        }
        visit_mut::visit_local_mut(self, local);
    }

    fn visit_expr_closure_mut(&mut self, _: &mut ExprClosure) {}

    fn visit_item_mut(&mut self, _: &mut Item) {}
}

/// What each name of the pattern stands for; `None` if one of them is not the value of a field. Unless `all` parts
/// may be named, it is a pattern that leaves some out (`..`): rustc need not see how many there are.
fn fields(pat: &Pat, of: &Expr, all: bool) -> Option<Vec<(Pat, Expr)>> {
    let member = |member: Member| syn::parse_quote!(#of.#member);
    let parts: Vec<(&Pat, Expr)> = match pat {
        Pat::Struct(pat) if (all || pat.rest.is_some()) && is_struct(&pat.path) => {
            let fields = pat.fields.iter();
            fields.map(|field| (&*field.pat, member(field.member.clone()))).collect()
        }
        Pat::TupleStruct(pat) if is_struct(&pat.path) => numbered(&pat.elems, member, all)?,
        Pat::Tuple(pat) => numbered(&pat.elems, member, all)?,
        _ => return None,
    };
    let bound = parts.into_iter().map(|(pat, value)| match pat {
        Pat::Wild(_) => Some(Vec::new()),
        Pat::Ident(ident) if ident.by_ref.is_none() && ident.subpat.is_none() => {
            Some(vec![(pat.clone(), value)])
        }
        pat => fields(pat, &value, all),
    });
    let bound: Option<Vec<_>> = bound.collect();
    bound.map(|bound| bound.concat())
}

/// Each part before a `..` at the end, with its number.
fn numbered<'p>(
    pats: impl IntoIterator<Item = &'p Pat>,
    member: impl Fn(Member) -> Expr,
    all: bool,
) -> Option<Vec<(&'p Pat, Expr)>> {
    let pats: Vec<&Pat> = pats.into_iter().collect();
    let named = match pats.split_last() {
        Some((Pat::Rest(_), named)) => named,
        _ if all => &pats[..],
        _ => return None,
    };
    let parts = named.iter().enumerate().map(|(index, pat)| (*pat, member(index.into())));
    let has_rest = named.iter().any(|pat| matches!(pat, Pat::Rest(_)));
    (!has_rest).then(|| parts.collect())
}

/// Whether the path names a struct, and not a variant, by the way it is written.
fn is_struct(path: &Path) -> bool {
    let mut before = path.segments.iter().rev().skip(1).map(|segment| segment.ident.to_string());
    before.next().is_none_or(|name| name.starts_with(char::is_lowercase))
}
