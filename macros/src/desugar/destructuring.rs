//! Patterns that move parts out of a local, rewritten as expressions: `let Order { lines, id, .. } = order;`
//! becomes `let (lines, id) = (order.lines, order.id);`. This shows that no other part is moved, which matters in
//! the block of a branch, and if another part of the same local is used after an await. The rewrite is equivalent
//! if each binding is by value and the local is not a borrow.

use quote::quote_spanned;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::visit_mut::{self, VisitMut};
use syn::{Block, Expr, ExprClosure, Ident, Item, Local, Member, Pat, PatIdent, PatStruct, Stmt};

use crate::collections::sets::Set;
use crate::ir::usage::{Place, Usage};
use crate::ir::{LocalId, Locals};
use crate::lower::{Lower, Patterns};
use crate::rematerialize::patterns;
use crate::syntax::calls::is_struct;

impl Lower<'_> {
    /// Has rustc check these patterns before the first statement that takes a part of such a local: how many parts
    /// there are it sees where all of them are still there.
    pub(crate) fn check_patterns_before(&mut self, stmt: &Stmt) {
        if self.patterns.is_empty() {
            return;
        }
        let usage = Usage::of_stmt(&self.locals, stmt);
        for local in usage.moves.iter().map(|part| part.local) {
            // Otherwise it is declared in the statement.
            if usage.reads.iter().any(|place| place.local == local) {
                let patterns = self.patterns.remove(&local).into_iter().flatten();
                self.check_patterns(patterns);
            }
        }
    }

    /// Writes such patterns in the block of a branch so.
    pub(crate) fn take_apart(&mut self, block: &mut Block) {
        // What the block binds itself may be a borrow, which is not known yet.
        let mut bound = Bound(Set::new());
        bound.visit_block(block);
        let locals = &self.locals;
        let find = |ident: &Ident| {
            let local = locals.find(ident).filter(|_| !bound.0.contains(ident));
            local.filter(|local| locals[*local].remade.is_none())
        };
        let mut apart = Apart { find, leaves_out: true, patterns: Patterns::new() };
        apart.visit_block_mut(block);
        let patterns = apart.patterns;
        self.check_patterns(patterns.into_values().flatten());
    }

    fn check_patterns(&mut self, patterns: impl Iterator<Item = (Pat, Expr)>) {
        for (all, value) in patterns {
            let value = quote_spanned!(value.span()=> &#value);
            self.code(syn::parse_quote!(if false { let #all = #value; }));
        }
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

/// Writes the patterns in the body so that take parts of these locals.
pub(crate) fn take_all_apart(locals: &Locals, taken: &Set<Ident>, body: &mut Block) -> Patterns {
    let find = |ident: &Ident| locals.find(ident).filter(|_| taken.contains(ident));
    let mut apart = Apart { find, leaves_out: false, patterns: Patterns::new() };
    apart.visit_block_mut(body);
    apart.patterns
}

/// The names that are bound.
struct Bound(Set<Ident>);

impl Visit<'_> for Bound {
    fn visit_pat_ident(&mut self, pat: &PatIdent) {
        self.0.insert(pat.ident.clone());
        visit::visit_pat_ident(self, pat);
    }
}

struct Apart<F> {
    /// What is taken apart.
    find: F,
    /// Whether only patterns are that leave out parts.
    leaves_out: bool,
    patterns: Patterns,
}

impl<F: Fn(&Ident) -> Option<LocalId>> VisitMut for Apart<F> {
    fn visit_local_mut(&mut self, local: &mut Local) {
        if let Some(init) = &local.init
            && init.diverge.is_none()
            && let Some(place) = Place::of(&init.expr, &self.find)
            && (!self.leaves_out || leaves_out(&local.pat))
            && let Some(bound) = fields(&local.pat, &init.expr)
        {
            let pattern = (patterns::tested(&local.pat), (*init.expr).clone());
            self.patterns.entry(place.local).or_default().push(pattern);
            bind(local, bound);
        }
        visit_mut::visit_local_mut(self, local);
    }

    fn visit_expr_closure_mut(&mut self, _: &mut ExprClosure) {}

    fn visit_item_mut(&mut self, _: &mut Item) {}
}

/// Whether there is a part that the pattern does not bind.
fn leaves_out(pat: &Pat) -> bool {
    struct LeavesOut(bool);
    impl Visit<'_> for LeavesOut {
        fn visit_pat(&mut self, pat: &Pat) {
            self.0 |= matches!(pat, Pat::Wild(_) | Pat::Rest(_));
            visit::visit_pat(self, pat);
        }
        fn visit_pat_struct(&mut self, pat: &PatStruct) {
            self.0 |= pat.rest.is_some();
            visit::visit_pat_struct(self, pat);
        }
    }
    let mut found = LeavesOut(false);
    found.visit_pat(pat);
    found.0
}

/// What each name of the pattern stands for; `None` if one of them is not the value of a field.
fn fields(pat: &Pat, of: &Expr) -> Option<Vec<(Pat, Expr)>> {
    let member = |member: Member| syn::parse_quote!(#of.#member);
    let parts: Vec<(&Pat, Expr)> = match pat {
        Pat::Struct(pat) if is_struct(&pat.path) => {
            let fields = pat.fields.iter();
            fields.map(|field| (&*field.pat, member(field.member.clone()))).collect()
        }
        Pat::TupleStruct(pat) if is_struct(&pat.path) => numbered(&pat.elems, member)?,
        Pat::Tuple(pat) => numbered(&pat.elems, member)?,
        _ => return None,
    };
    let bound = parts.into_iter().map(|(pat, value)| match pat {
        Pat::Wild(_) => Some(Vec::new()),
        Pat::Ident(ident) if ident.by_ref.is_none() && ident.subpat.is_none() => {
            Some(vec![(pat.clone(), value)])
        }
        pat => fields(pat, &value),
    });
    let bound: Option<Vec<_>> = bound.collect();
    bound.map(|bound| bound.concat())
}

/// Each part before a `..` at the end, with its number.
fn numbered<'p>(
    pats: impl IntoIterator<Item = &'p Pat>,
    member: impl Fn(Member) -> Expr,
) -> Option<Vec<(&'p Pat, Expr)>> {
    let pats: Vec<&Pat> = pats.into_iter().collect();
    let named = match pats.split_last() {
        Some((Pat::Rest(_), named)) => named,
        _ => &pats[..],
    };
    let parts = named.iter().enumerate().map(|(index, pat)| (*pat, member(index.into())));
    let has_rest = named.iter().any(|pat| matches!(pat, Pat::Rest(_)));
    (!has_rest).then(|| parts.collect())
}
