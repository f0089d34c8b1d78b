//! The analysis follows the code in evaluation order, with scopes and branches: a read after an assignment does not
//! count, and neither does an inner binding with the same name. In an unknown macro, every name counts as a read.

mod visit;

use syn::visit::Visit;
use syn::{Expr, Pat};

use super::{Flow, Jump, Place, Usage};
use crate::ir::ids::LocalId;
use crate::ir::locals::Locals;
use crate::syntax::patterns::bindings;

/// How the context of an expression uses its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    Value,
    Scrutinee,
    /// A scrutinee with a `ref mut` binding.
    ScrutineeMut,
    Borrow,
    BorrowMut,
    /// Borrows it, perhaps mutably.
    BorrowAny,
    /// As `BorrowAny`, by a method with the name of a method of std with `&self`.
    BorrowAlike,
    /// Moves it, unless the method of this name is a user's method that borrows it.
    TakeAny,
}

impl Mode {
    /// The mode of a scrutinee with these patterns.
    fn of_matched<'p>(pats: impl IntoIterator<Item = &'p Pat>) -> Self {
        struct ByRefMut(bool);
        impl Visit<'_> for ByRefMut {
            fn visit_pat_ident(&mut self, pat: &syn::PatIdent) {
                self.0 |= pat.by_ref.is_some() && pat.mutability.is_some();
                syn::visit::visit_pat_ident(self, pat);
            }
            fn visit_expr(&mut self, _: &Expr) {}
        }
        let mut by_ref_mut = ByRefMut(false);
        pats.into_iter().for_each(|pat| by_ref_mut.visit_pat(pat));
        if by_ref_mut.0 { Self::ScrutineeMut } else { Self::Scrutinee }
    }
}

pub(super) struct Analysis<'a> {
    locals: &'a Locals,
    usage: Usage,
    /// Names bound in inner scopes.
    hidden: Vec<String>,
    /// The state of the locals; `None` where the code is unreachable.
    pub(super) flow: Option<Flow>,
    mode: Mode,
}

impl<'a> Analysis<'a> {
    pub(super) fn new(locals: &'a Locals) -> Self {
        Self {
            locals,
            usage: Usage::default(),
            hidden: Vec::new(),
            flow: Some(Flow::default()),
            mode: Mode::Value,
        }
    }

    pub(super) fn finish(mut self) -> Usage {
        // If the end is unreachable, nothing there reads earlier values.
        match self.flow {
            Some(Flow { assigned, assigned_parts, moved }) => {
                self.usage.assigned = assigned;
                self.usage.assigned_parts = assigned_parts;
                self.usage.moved_at_end = moved;
            }
            None => self.usage.assigned = self.locals.ids().collect(),
        }
        self.usage
    }

    fn find(&self, name: &str) -> Option<LocalId> {
        if self.hidden.iter().any(|hidden| hidden == name) {
            return None;
        }
        self.locals.find_name(name)
    }

    pub(super) fn visit(&mut self, expr: &Expr, mode: Mode) {
        self.mode = mode;
        self.visit_expr(expr);
    }

    fn read(&mut self, place: Place, mode: Mode) {
        let local = place.local;
        self.usage.mentions.insert(local);
        if matches!(mode, Mode::Value | Mode::TakeAny) {
            self.usage.moved.insert(place.clone());
        }
        match mode {
            Mode::Value if place.fields.is_empty() => {
                self.flow.iter_mut().for_each(|flow| {
                    flow.moved.insert(local);
                });
            }
            Mode::Value | Mode::Scrutinee => {
                self.usage.partial_moves.insert(place.clone());
            }
            Mode::ScrutineeMut => {
                self.usage.partial_moves.insert(place.clone());
                self.usage.mutated.insert(local);
                self.usage.writes.insert(place.clone());
            }
            Mode::Borrow => {}
            Mode::BorrowMut => {
                self.usage.mutated.insert(local);
                self.usage.writes.insert(place.clone());
            }
            Mode::BorrowAlike => {
                self.usage.mutated.insert(local);
                self.usage.may_write.insert(place.clone());
            }
            Mode::BorrowAny => {
                self.usage.mutated.insert(local);
                self.usage.may_write.insert(place.clone());
                self.usage.unknown_receivers.insert(place.clone());
            }
            Mode::TakeAny => {
                self.usage.mutated.insert(local);
                self.usage.may_write.insert(place.clone());
                self.usage.unknown_receivers.insert(place.clone());
                if !place.fields.is_empty() {
                    self.usage.partial_moves.insert(place.clone());
                }
            }
        }
        let Some(flow) = self.flow.as_ref().filter(|flow| !flow.assigned.contains(&local)) else {
            return;
        };
        if !flow.assigned_parts.iter().any(|part| part.holds(&place)) {
            let filled = flow.assigned_parts.iter().filter(|part| place.holds(part)).cloned();
            let filled = filled.collect();
            self.usage.add_read(place.clone(), filled);
        }
        self.usage.reads.insert(place);
    }

    fn read_name(&mut self, name: &str, mode: Mode) {
        if let Some(local) = self.find(name) {
            self.read(Place::whole(local), mode);
        }
    }

    fn place(&self, expr: &Expr) -> Option<Place> {
        Place::of(expr, &|ident| self.find(&ident.to_string()))
    }

    /// The captures of an `async move` block that has been analyzed alone: the places that it only reads, and the other
    /// locals as a whole.
    fn taken_over(&self) -> Vec<Place> {
        let Usage { mentions, reads, mutated, .. } = &self.usage;
        let is_read = |local: &LocalId| {
            !mutated.contains(local) && reads.iter().any(|place| place.local == *local)
        };
        let (read, other): (Vec<_>, Vec<_>) = mentions.iter().copied().partition(is_read);
        let places = reads.iter().filter(|place| read.contains(&place.local)).cloned();
        places.chain(other.into_iter().map(Place::whole)).collect()
    }

    /// Assigns to the left-hand side of `=`.
    fn assign(&mut self, left: &Expr) {
        match left {
            Expr::Path(_) => {
                if let Some(Place { local, .. }) = self.place(left) {
                    // Where the local is not initialized, rustc would accept the assignment as its initialization.
                    if self.locals[local].is_final() {
                        self.read(Place::whole(local), Mode::Borrow);
                    }
                    self.usage.mentions.insert(local);
                    self.usage.mutated.insert(local);
                    self.usage.writes.insert(Place::whole(local));
                    self.usage.reassigned.insert(local);
                    if let Some(flow) = &mut self.flow {
                        flow.assigned.insert(local);
                        flow.moved.remove(&local);
                    }
                }
            }
            Expr::Field(_) if let Some(place) = self.place(left) => {
                match self.locals[place.local].rematerialized {
                    // Nothing moves out of a borrow.
                    Some(_) => self.read(place, Mode::BorrowMut),
                    None => self.refill(place),
                }
            }
            Expr::Tuple(expr) => expr.elems.iter().for_each(|elem| self.assign(elem)),
            Expr::Array(expr) => expr.elems.iter().for_each(|elem| self.assign(elem)),
            Expr::Call(expr) => expr.args.iter().for_each(|argument| self.assign(argument)),
            Expr::Struct(expr) => expr.fields.iter().for_each(|field| self.assign(&field.expr)),
            Expr::Paren(expr) => self.assign(&expr.expr),
            Expr::Infer(_) | Expr::Range(_) => {}
            left => self.visit(left, Mode::BorrowMut),
        }
    }

    /// Assigns a projection of a local.
    fn refill(&mut self, place: Place) {
        self.usage.mentions.insert(place.local);
        self.usage.mutated.insert(place.local);
        self.usage.writes.insert(place.clone());
        if self.flow.as_ref().is_some_and(|flow| !flow.assigned.contains(&place.local)) {
            self.usage.reads.insert(place.clone());
        }
        self.fill(place);
    }

    /// Counts a projection as assigned.
    fn fill(&mut self, place: Place) {
        self.usage.maybe_assigned_parts.insert(place.clone());
        if let Some(flow) = &mut self.flow {
            flow.assigned_parts.insert(place);
        }
    }

    /// Visits code that may be skipped.
    fn maybe(&mut self, visit: impl FnOnce(&mut Self)) {
        let before = self.flow.clone();
        visit(self);
        let after = std::mem::replace(&mut self.flow, before);
        if let (Some(flow), Some(after)) = (&mut self.flow, after) {
            flow.moved.extend(after.moved);
        }
    }

    /// Visits a branch and returns the state at its end. The state here is as before.
    fn branch(&mut self, visit: impl FnOnce(&mut Self)) -> Option<Flow> {
        let before = self.flow.clone();
        visit(self);
        std::mem::replace(&mut self.flow, before)
    }

    /// Joins the states at the ends of branches.
    fn merge(&mut self, branches: impl IntoIterator<Item = Option<Flow>>) {
        self.flow = branches.into_iter().flatten().reduce(|all, one| all.and(&one));
    }

    /// Visits code in a new scope.
    fn scoped(&mut self, visit: impl FnOnce(&mut Self)) {
        let count = self.hidden.len();
        visit(self);
        self.hidden.truncate(count);
    }

    fn hide(&mut self, pat: &Pat) {
        self.hidden.extend(bindings(pat).iter().map(ToString::to_string));
    }

    /// The mode of a place whose projection has this mode.
    fn inner(&self, mode: Mode) -> Mode {
        match mode {
            Mode::BorrowMut | Mode::BorrowAny | Mode::BorrowAlike => mode,
            Mode::ScrutineeMut => Mode::BorrowMut,
            Mode::TakeAny => Mode::BorrowAny,
            Mode::Value | Mode::Scrutinee | Mode::Borrow => Mode::Borrow,
        }
    }

    fn jump(&mut self, jump: Jump) {
        self.usage.jumps.insert(jump);
        if let Some(flow) = self.flow.take() {
            let known = self.usage.at_jumps.get(&jump).map(|known| known.and(&flow));
            self.usage.at_jumps.insert(jump, known.unwrap_or(flow));
        }
    }

    /// Visits a body that runs at another time: it may read its captures, and its jumps stay in it.
    fn detached(&mut self, visit: impl FnOnce(&mut Self)) {
        let jumps = self.usage.jumps.clone();
        self.maybe(|this| this.scoped(visit));
        self.usage.jumps = jumps;
    }
}
