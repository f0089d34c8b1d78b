//! Copies that stand in for parts of locals that have been moved out. See [`crate::layout::StandIns`].

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::Expr;

use super::printer::Printer;
use crate::collections::sets::Set;
use crate::ir::usage::{Place, Usage};
use crate::ir::{BlockId, ScopeId};
use crate::layout::{Turn, VariableId};
use crate::syntax::hygiene::{hidden, numbered};

impl Printer<'_> {
    /// Copies what the node or end that is being printed takes out of locals that are to be whole, and
    /// what puts the copies there. Of a copy that the code may take away itself a variable says whether
    /// it has.
    pub(super) fn copy_parts(&self, usage: &Usage) -> (TokenStream, TokenStream) {
        let (mut copy, mut fill) = (TokenStream::new(), TokenStream::new());
        let stand_ins = &self.machine.layout.stand_ins;
        if stand_ins.are_none() {
            return (copy, fill);
        }
        self.flags.borrow_mut().clear();
        for (index, part) in stand_ins.taken(self.at.get()).enumerate() {
            let hole = numbered("hole", index);
            copy.extend(self.keep(part, &hole));
            fill.extend(self.fill(part, &hole));
        }
        let changed = self.standing().filter(|part| usage.changes.contains(&part.local));
        let flags = changed.enumerate().map(|(index, part)| {
            let flag = numbered("stands", index);
            copy.extend(quote!(#[allow(unused_variables)] let mut #flag = true;));
            (part.clone(), flag)
        });
        let flags: Vec<_> = flags.collect();
        self.flags.replace(flags);
        let is_filled = |part: &Place| {
            usage.assigned.contains(&part.local)
                || usage.refills.iter().any(|filled| filled.holds(part))
        };
        for (part, _) in self.flags.borrow().iter().filter(|(part, _)| !is_filled(part)) {
            fill.extend(self.replace(part, TokenStream::new()));
        }
        (copy, fill)
    }

    /// The copies that stand where code is being printed.
    fn standing(&self) -> impl Iterator<Item = &Place> {
        let stands = self.machine.layout.stand_ins.at(self.at.get()).iter();
        stands.filter(|part| self.is_known(part))
    }

    /// Whether rustc knows the part as one that is there. Those that are forgotten where the segment
    /// begins are left to it, and so is what only passes through.
    fn is_known(&self, part: &Place) -> bool {
        let mut given = self.segment.entry.iter().filter(|id| self.holds(**id, part));
        !self.segment.gone.contains(part) && !given.any(|id| self.segment.keeps(*id))
    }

    /// Whether a variable holds the part.
    pub(super) fn holds(&self, id: VariableId, part: &Place) -> bool {
        self.machine.layout.variable(id).place.holds(part)
    }

    /// Does what is to be done where control goes on at a block, so that what stands in a place is
    /// known there.
    pub(super) fn turn(&self, to: BlockId) -> TokenStream {
        let (graph, stand_ins) = (self.machine.graph, &self.machine.layout.stand_ins);
        let mut out = TokenStream::new();
        if stand_ins.are_none() {
            return out;
        }
        let Turn { replaced, forgotten } = stand_ins.turn(graph, self.at.get(), to);
        let flags = self.flags.borrow().clone();
        let there = stand_ins.begin(to);
        let flagged = flags.iter().map(|(part, _)| part).filter(|part| there.contains(part));
        let mut replaced: Set<&Place> = replaced.iter().chain(flagged).collect();
        let mut forgotten: Vec<_> = forgotten.iter().filter(|part| self.is_known(part)).collect();
        let returning = self.returning.borrow();
        for (part, hole) in returning.iter() {
            replaced.remove(&part);
            forgotten.retain(|other| *other != part);
            if there.contains(part) {
                out.extend(self.fill(part, hole));
            }
        }
        for part in replaced.into_iter().filter(|part| self.is_known(part)) {
            let within = forgotten.extract_if(.., |other| part.holds(other));
            out.extend(self.replace(part, within.map(|part| self.forget(part)).collect()));
        }
        out.extend(forgotten.into_iter().map(|part| self.forget(part)));
        out
    }

    /// As [`turn`](Self::turn), for what follows the suspension at the end of the block that is being
    /// printed.
    pub(super) fn turn_across(&self) -> TokenStream {
        let (block, _) = self.at.get();
        self.machine.graph[block].end.successors().into_iter().map(|to| self.turn(to)).collect()
    }

    /// Whether code that is being printed may take copies away.
    pub(super) fn has_flags(&self) -> bool {
        !self.flags.borrow().is_empty()
    }

    /// The copies that are forgotten before the value is evaluated that the function returns with, and what
    /// puts each back if a jump leads out of that value: those but for the ones in what has been `filled`.
    pub(super) fn returning(&self, filled: &[Place]) -> Vec<(Place, Ident)> {
        let count = self.returning.borrow().len();
        outside(self.standing(), filled)
            .zip(count..)
            .map(|(part, n)| (part.clone(), numbered("left", n)))
            .collect()
    }

    /// What the value of a jump to a block takes out of a place where a copy is to stand there, and what puts
    /// the copy back.
    pub(super) fn taken_by(&self, to: BlockId, value: Option<&Expr>) -> Vec<(Place, Ident)> {
        let Some(value) = value.filter(|_| self.has_flags()) else { return Vec::new() };
        let usage = Usage::of_expr(&self.machine.graph.locals, value);
        let there = self.machine.layout.stand_ins.begin(to);
        let is_taken = |part: &Place| {
            there.contains(part) && usage.moves.iter().any(|moved| moved.overlaps(part))
        };
        let flags = self.flags.borrow();
        let taken = flags.iter().filter(|(part, _)| is_taken(part)).enumerate();
        taken.map(|(n, (part, _))| (part.clone(), numbered("given", n))).collect()
    }

    /// Copies a part before it is forgotten.
    pub(super) fn keep(&self, part: &Place, hole: &Ident) -> TokenStream {
        let place = self.place(part);
        quote!(let #hole = __piton::Hole::of(&mut #place)?;)
    }

    /// Forgets all copies, where the function returns, but for those in what has been `filled`.
    pub(super) fn forget_all(&self, filled: &[Place]) -> TokenStream {
        self.forget_but(self.standing(), filled)
    }

    /// Forgets the copies in locals of a scope that ends.
    pub(super) fn forget_of(&self, scope: ScopeId) -> TokenStream {
        let locals = &self.machine.graph.scopes[scope.0].locals;
        let parts = self.standing().filter(|part| locals.contains(&part.local));
        parts.map(|part| self.forget(part)).collect()
    }

    /// Forgets the copies in a place that is assigned, but for those in what has been `filled`.
    pub(super) fn forget_in(&self, place: &Place, filled: &[Place]) -> TokenStream {
        self.forget_but(self.standing().filter(|part| place.holds(part)), filled)
    }

    /// As [`forget_in`](Self::forget_in), for what stands on the left of `=`.
    pub(super) fn forget_under(
        &self,
        left: &Expr,
        filled: &[Place],
        place: impl Fn(&Expr) -> Option<Place>,
    ) -> TokenStream {
        let mut out = TokenStream::new();
        let mut todo = vec![left];
        while let Some(left) = todo.pop() {
            match left {
                Expr::Tuple(expr) => todo.extend(&expr.elems),
                Expr::Array(expr) => todo.extend(&expr.elems),
                Expr::Call(expr) => todo.extend(&expr.args),
                Expr::Struct(expr) => todo.extend(expr.fields.iter().map(|field| &field.expr)),
                Expr::Paren(expr) => todo.push(&expr.expr),
                left => out.extend(place(left).map(|place| self.forget_in(&place, filled))),
            }
        }
        out
    }

    /// Puts a copy in the place of a part, which is dropped, unless it stands there. `forget` forgets the
    /// copies in parts of it.
    fn replace(&self, part: &Place, forget: TokenStream) -> TokenStream {
        let hole = hidden("hole");
        let (keep, fill) = (self.keep(part, &hole), self.fill(part, &hole));
        let missing = self.flag(part).map(|flag| quote!(if !#flag));
        quote!(#missing { #keep #forget #fill })
    }

    /// Puts a copy back into the place of a part, whatever is there.
    fn fill(&self, part: &Place, hole: &Ident) -> TokenStream {
        let (place, flag) = (self.place(part), self.flag(part));
        let set = flag.map(|flag| quote!(#flag = true;));
        quote!(#place = (&#hole).fill()?; #set)
    }

    fn forget_but<'p>(
        &self,
        parts: impl Iterator<Item = &'p Place>,
        filled: &[Place],
    ) -> TokenStream {
        outside(parts, filled).map(|part| self.forget(part)).collect()
    }

    fn forget(&self, part: &Place) -> TokenStream {
        let place = self.place(part);
        let forget = quote!(__piton::forget(#place););
        match self.flag(part) {
            Some(flag) => quote!(if #flag { #flag = false; #forget }),
            None => forget,
        }
    }

    fn flag(&self, part: &Place) -> Option<Ident> {
        let flags = self.flags.borrow();
        flags.iter().find(|(flagged, _)| flagged == part).map(|(_, flag)| flag.clone())
    }
}

/// The parts that are not in what has been `filled`.
fn outside<'p>(
    parts: impl Iterator<Item = &'p Place>,
    filled: &[Place],
) -> impl Iterator<Item = &'p Place> {
    parts.filter(|part| !filled.iter().any(|filled| filled.holds(part)))
}
