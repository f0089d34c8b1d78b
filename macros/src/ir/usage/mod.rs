//! Uses of locals in code: reads, assignments and jumps.

mod analysis;
mod made;

use std::collections::BTreeMap;

use syn::visit::Visit;
use syn::{Expr, Ident, Member, Pat, Stmt};

pub(crate) use self::made::Made;
use crate::collections::sets::Set;
use crate::ir::usage::analysis::{Analysis, Mode};
use crate::ir::{Branch, Field, LocalId, Locals, TargetId};
use crate::syntax::patterns::bindings;

/// A local, or a field of one.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Place {
    pub(crate) local: LocalId,
    pub(crate) fields: Vec<Field>,
}

impl Place {
    /// The whole local.
    pub(crate) fn whole(local: LocalId) -> Self {
        Self { local, fields: Vec::new() }
    }

    /// The place that an expression is, if it is a local or a field of one. `find` knows the locals.
    pub(crate) fn of(expr: &Expr, find: &impl Fn(&Ident) -> Option<LocalId>) -> Option<Self> {
        match expr {
            Expr::Path(path) if path.qself.is_none() => {
                find(path.path.get_ident()?).map(Self::whole)
            }
            Expr::Field(field) => {
                Self::of(&field.base, find).map(|place| place.field(&field.member))
            }
            Expr::Paren(paren) => Self::of(&paren.expr, find),
            Expr::Group(group) => Self::of(&group.expr, find),
            _ => None,
        }
    }

    /// A field of it.
    pub(crate) fn field(mut self, member: &Member) -> Self {
        self.fields.push(Field::from(member));
        self
    }

    /// Whether `other` is a part of it, or the same.
    pub(crate) fn holds(&self, other: &Self) -> bool {
        self.local == other.local && other.fields.starts_with(&self.fields)
    }

    /// Whether one is a part of the other, or they are the same.
    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        self.holds(other) || other.holds(self)
    }
}

/// A jump out of code that is otherwise left alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Jump {
    Break(TargetId),
    Continue(TargetId),
    Return,
}

/// What a piece of code does with the locals.
#[derive(Clone, Debug, Default)]
pub(crate) struct Usage {
    /// What it reads that it has not assigned before.
    pub(crate) reads: Set<Place>,
    /// What it has assigned for certain when it is through.
    pub(crate) assigned: Set<LocalId>,
    /// What it may change.
    pub(crate) changes: Set<LocalId>,
    /// What it assigns, or borrows to change it, if it comes to that: what is a change by all means. What is
    /// named without a place, as an element, counts as what it is in.
    pub(crate) writes: Set<Place>,
    /// What else it may change: what methods are called on of which that is not known.
    pub(crate) may_write: Set<Place>,
    /// Those of them of which no method of the standard library has the name and only looks.
    pub(crate) called: Set<Place>,
    /// What it may assign as a whole.
    pub(crate) replaces: Set<LocalId>,
    /// What it uses up as a whole, unless that is copied.
    pub(crate) takes: Set<LocalId>,
    /// What it uses up, as a whole or in part, unless that is copied. What is matched by a pattern is not known
    /// to be.
    pub(crate) spends: Set<Place>,
    /// What it may have used up as a whole when it is through.
    pub(crate) used_up: Set<LocalId>,
    /// What it may move parts out of.
    pub(crate) moves: Set<Place>,
    /// The parts that it has assigned for certain when it is through.
    pub(crate) refills: Set<Place>,
    /// The parts that it may assign.
    pub(crate) fills: Set<Place>,
    /// What has happened for certain where it jumps.
    pub(crate) at_jumps: BTreeMap<Jump, Flow>,
    /// What it reads that it has not refilled before, without what it refills; with the parts of it that
    /// it always has.
    pub(crate) looks: BTreeMap<Place, Set<Place>>,
    /// Everything it names.
    pub(crate) mentions: Set<LocalId>,
    /// What it binds, if it is a `let`.
    pub(crate) binds: Vec<LocalId>,
    pub(crate) jumps: Set<Jump>,
}

impl Usage {
    pub(crate) fn of_stmt(locals: &Locals, stmt: &Stmt) -> Self {
        let mut analysis = Analysis::new(locals);
        analysis.visit_stmt(stmt);
        let Stmt::Local(local) = stmt else { return analysis.finish() };
        let binds = bound_locals(locals, &local.pat);
        if let Some(flow) = &mut analysis.flow {
            flow.assigned.extend(&binds);
        }
        Self { binds, ..analysis.finish() }
    }

    pub(crate) fn of_expr(locals: &Locals, expr: &Expr) -> Self {
        let mut analysis = Analysis::new(locals);
        analysis.visit_expr(expr);
        analysis.finish()
    }

    /// The places that it reads, and what else it names.
    pub(crate) fn named(self) -> Set<Place> {
        let Self { mut reads, mentions, .. } = self;
        let is_read = |local: &LocalId| reads.iter().any(|place| place.local == *local);
        let others: Vec<_> = mentions.into_iter().filter(|local| !is_read(local)).collect();
        reads.extend(others.into_iter().map(Place::whole));
        reads
    }

    /// Whether it reads a part of a local that it has not refilled before.
    pub(crate) fn looks_at(&self, part: &Place) -> bool {
        self.looks.iter().any(|(place, filled)| {
            place.overlaps(part) && !filled.iter().any(|filled| filled.holds(part))
        })
    }

    /// Adds what else it reads.
    pub(crate) fn look(&mut self, place: Place, filled: Set<Place>) {
        let known = self.looks.get(&place).map_or_else(|| filled.clone(), |known| known & &filled);
        self.looks.insert(place, known);
    }

    /// An expression that is matched against patterns.
    pub(crate) fn of_scrutinee(locals: &Locals, expr: &Expr) -> Self {
        let mut analysis = Analysis::new(locals);
        analysis.visit(expr, Mode::Scrutinee);
        analysis.finish()
    }

    /// An expression that is matched against patterns, and their guards.
    pub(crate) fn of_match<'p>(
        locals: &Locals,
        scrutinee: &Expr,
        pats: impl Iterator<Item = &'p Pat>,
    ) -> Self {
        let mut analysis = Analysis::new(locals);
        analysis.visit(scrutinee, Mode::Scrutinee);
        pats.for_each(|pat| analysis.guard(pat));
        analysis.finish()
    }

    /// What the branches of `join!` or `select!` are begun with, each if its condition holds.
    pub(crate) fn of_branches<'e, R: 'e>(
        locals: &Locals,
        branches: impl Iterator<Item = (Option<&'e Expr>, &'e Branch<R>)>,
    ) -> Self {
        let mut analysis = Analysis::new(locals);
        // What an `async` block takes over it has before the branches behind it assign anything.
        let mut is_taken_over = false;
        for (cond, branch) in branches {
            is_taken_over |= branch.operation().is_none();
            analysis.begin(cond, branch.operation(), is_taken_over);
        }
        analysis.finish()
    }

    /// The guard of a pattern.
    pub(crate) fn of_guard(locals: &Locals, pat: &Pat) -> Self {
        match pat {
            Pat::Guard(pat) => Self::of_expr(locals, &pat.guard),
            _ => Self::default(),
        }
    }
}

/// What code does by which a local is made again.
fn made_again(locals: &Locals, local: LocalId) -> Option<Usage> {
    Some(Usage::of_expr(locals, locals[local].rematerialized_by()?))
}

/// The local, and all that it is made of if it is made again where it is used.
pub(crate) fn made_of(locals: &Locals, local: LocalId) -> Set<LocalId> {
    let mut made_of = Set::from([local]);
    let mut todo = vec![local];
    while let Some(local) = todo.pop() {
        if let Some(usage) = made_again(locals, local) {
            let mentions = usage.mentions;
            todo.extend(mentions.into_iter().filter(|local| made_of.insert(*local)));
        }
    }
    made_of
}

/// The locals that a pattern binds.
pub(crate) fn bound_locals(locals: &Locals, pat: &Pat) -> Vec<LocalId> {
    bindings(pat).iter().filter_map(|ident| locals.find(ident)).collect()
}

/// What has happened for certain, and what may have.
#[derive(Clone, Debug, Default)]
pub(crate) struct Flow {
    pub(crate) assigned: Set<LocalId>,
    pub(crate) refilled: Set<Place>,
    /// What may have been used up as a whole.
    used_up: Set<LocalId>,
}

impl Flow {
    fn and(&self, other: &Self) -> Self {
        Self {
            assigned: &self.assigned & &other.assigned,
            refilled: &self.refilled & &other.refilled,
            used_up: &self.used_up | &other.used_up,
        }
    }
}
