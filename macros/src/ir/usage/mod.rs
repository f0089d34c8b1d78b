//! What code does with locals: reads, assignments, borrows, moves and jumps.

mod analysis;
mod sources;

use std::collections::BTreeMap;

use syn::visit::Visit;
use syn::{Expr, Ident, Member, Pat, Stmt};

pub(crate) use self::sources::Sources;
use crate::collections::sets::Set;
use crate::ir::field::Field;
use crate::ir::ids::{LocalId, TargetId};
use crate::ir::locals::Locals;
use crate::ir::tree::Branch;
use crate::ir::usage::analysis::{Analysis, Mode};
use crate::syntax::patterns::bindings;

/// A place: a local, or a projection of it to a field.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Place {
    pub(crate) local: LocalId,
    pub(crate) fields: Vec<Field>,
}

impl Place {
    /// The local without a projection.
    pub(crate) fn whole(local: LocalId) -> Self {
        Self { local, fields: Vec::new() }
    }

    /// The place that an expression denotes, if it is one. `find` resolves the names of locals.
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

    /// Its projection to a field.
    pub(crate) fn field(mut self, member: &Member) -> Self {
        self.fields.push(Field::from(member));
        self
    }

    /// Whether `other` is this place or a projection of it.
    pub(crate) fn holds(&self, other: &Self) -> bool {
        self.local == other.local && other.fields.starts_with(&self.fields)
    }

    /// Whether one is the other or a projection of it.
    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        self.holds(other) || other.holds(self)
    }
}

/// A jump out of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Jump {
    Break(TargetId),
    Continue(TargetId),
    Return,
}

/// The effects of a statement or expression on the locals. A *part* is a projection of a local.
#[derive(Clone, Debug, Default)]
pub(crate) struct Usage {
    /// The places that it reads before it assigns them.
    pub(crate) reads: Set<Place>,
    /// The places in `reads`, each with its parts that are assigned before on every path.
    pub(crate) exposed_reads: BTreeMap<Place, Set<Place>>,
    /// The locals that it assigns on every path to its end.
    pub(crate) assigned: Set<LocalId>,
    /// The parts that it assigns on every path to its end.
    pub(crate) assigned_parts: Set<Place>,
    /// The parts that it may assign.
    pub(crate) maybe_assigned_parts: Set<Place>,
    /// The locals that it may assign as a whole.
    pub(crate) reassigned: Set<LocalId>,
    /// The locals that it may assign or borrow mutably.
    pub(crate) mutated: Set<LocalId>,
    /// The places that it assigns or borrows mutably, if control reaches this. An element counts as its collection.
    pub(crate) writes: Set<Place>,
    /// The places that it may borrow mutably: receivers of methods, unless their names show how they borrow.
    pub(crate) may_write: Set<Place>,
    /// Those of `may_write` whose methods do not have the name of a method of std with `&self`.
    pub(crate) unknown_receivers: Set<Place>,
    /// The places that it moves, unless they are `Copy`. Scrutinees do not count: whether a pattern moves depends on
    /// types.
    pub(crate) moved: Set<Place>,
    /// The locals that it may have moved as a whole, and not assigned again, at its end.
    pub(crate) moved_at_end: Set<LocalId>,
    /// The parts that it may move, and the scrutinees out of which patterns may move.
    pub(crate) partial_moves: Set<Place>,
    /// The locals that it names.
    pub(crate) mentions: Set<LocalId>,
    /// The locals that it binds, if it is a `let`.
    pub(crate) binds: Vec<LocalId>,
    pub(crate) jumps: Set<Jump>,
    /// For each jump, the state of the locals there.
    pub(crate) at_jumps: BTreeMap<Jump, Flow>,
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

    /// The places that it reads, and the other locals that it names.
    pub(crate) fn named(self) -> Set<Place> {
        let Self { mut reads, mentions, .. } = self;
        let is_read = |local: &LocalId| reads.iter().any(|place| place.local == *local);
        let others: Vec<_> = mentions.into_iter().filter(|local| !is_read(local)).collect();
        reads.extend(others.into_iter().map(Place::whole));
        reads
    }

    /// Whether it reads a projection before it assigns it.
    pub(crate) fn may_read(&self, part: &Place) -> bool {
        self.exposed_reads.iter().any(|(place, filled)| {
            place.overlaps(part) && !filled.iter().any(|filled| filled.holds(part))
        })
    }

    /// Adds a place to `exposed_reads`, with the parts that are assigned before.
    pub(crate) fn add_read(&mut self, place: Place, filled: Set<Place>) {
        let known =
            self.exposed_reads.get(&place).map_or_else(|| filled.clone(), |known| known & &filled);
        self.exposed_reads.insert(place, known);
    }

    /// A scrutinee.
    pub(crate) fn of_scrutinee(locals: &Locals, expr: &Expr) -> Self {
        let mut analysis = Analysis::new(locals);
        analysis.visit(expr, Mode::Scrutinee);
        analysis.finish()
    }

    /// A scrutinee, and the guards of its patterns.
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

    /// The operations and conditions of the branches of a `join!` or `select!`.
    pub(crate) fn of_branches<'e, R: 'e>(
        locals: &Locals,
        branches: impl Iterator<Item = (Option<&'e Expr>, &'e Branch<R>)>,
    ) -> Self {
        let mut analysis = Analysis::new(locals);
        // An `async` block captures locals before the branches behind it assign them.
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

/// The usage of the expression that rematerializes a local.
fn usage_of_rematerialization(locals: &Locals, local: LocalId) -> Option<Usage> {
    Some(Usage::of_expr(locals, locals[local].rematerialized_by()?))
}

/// The local, and, if it is rematerialized, all locals that this takes.
pub(crate) fn sources_of(locals: &Locals, local: LocalId) -> Set<LocalId> {
    let mut sources_of = Set::from([local]);
    let mut todo = vec![local];
    while let Some(local) = todo.pop() {
        if let Some(usage) = usage_of_rematerialization(locals, local) {
            let mentions = usage.mentions;
            todo.extend(mentions.into_iter().filter(|local| sources_of.insert(*local)));
        }
    }
    sources_of
}

/// The locals that a pattern binds.
pub(crate) fn bound_locals(locals: &Locals, pat: &Pat) -> Vec<LocalId> {
    bindings(pat).iter().filter_map(|ident| locals.find(ident)).collect()
}

/// The state of the locals at a point of the code.
#[derive(Clone, Debug, Default)]
pub(crate) struct Flow {
    pub(crate) assigned: Set<LocalId>,
    pub(crate) assigned_parts: Set<Place>,
    /// The locals that may have been moved as a whole.
    moved: Set<LocalId>,
}

impl Flow {
    fn and(&self, other: &Self) -> Self {
        Self {
            assigned: &self.assigned & &other.assigned,
            assigned_parts: &self.assigned_parts & &other.assigned_parts,
            moved: &self.moved | &other.moved,
        }
    }
}
