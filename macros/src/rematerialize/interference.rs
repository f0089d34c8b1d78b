//! Interference: which effects of later operands change the value of an earlier one.

use syn::{Expr, UnOp};

use crate::collections::sets::Set;
use crate::ir::locals::local_of;
use crate::ir::usage::{Place, Usage, sources_of};
use crate::ir::{LocalId, Locals};
use crate::lower::borrows::Borrows;
use crate::syntax::exits::Exits;

/// The effects of later operands: locals that they change or move, and exits from the expression.
#[derive(Clone, Debug, Default)]
pub(crate) struct Changed {
    pub(crate) mutated: Set<LocalId>,
    writes: Set<Place>,
    may_write: Set<Place>,
    unknown_receivers: Set<Place>,
    moved: Set<Place>,
    pub(crate) exits: Exits,
}

impl Changed {
    /// Adds the effects of another operand.
    pub(crate) fn note(&mut self, locals: &Locals, operand: &Expr) {
        let Usage { mutated, writes, may_write, unknown_receivers, moved, .. } =
            Usage::of_expr(locals, operand);
        self.mutated.extend(mutated);
        self.writes.extend(writes);
        self.may_write.extend(may_write);
        self.unknown_receivers.extend(unknown_receivers);
        self.moved.extend(moved);
        self.exits.note(operand);
    }

    /// As [`may_change`](Self::may_change), if methods named like std methods with `&self` change nothing.
    pub(crate) fn may_change_borrowed(&self, place: &Place) -> bool {
        self.writes.iter().chain(&self.unknown_receivers).any(|written| written.overlaps(place))
    }

    /// Whether a later operand may change the place or a part of it.
    pub(crate) fn may_change(&self, place: &Place) -> bool {
        self.writes.iter().chain(&self.may_write).any(|written| written.overlaps(place))
    }
}

impl Borrows<'_> {
    /// Whether the operand is a place that a later operand assigns or borrows mutably.
    pub(crate) fn is_written(&self, operand: &Expr, changed: &Changed) -> bool {
        self.is_among(operand, &changed.writes)
    }

    /// Whether an unknown method or macro may change the operand's place later.
    pub(crate) fn is_called(&self, operand: &Expr, changed: &Changed) -> bool {
        self.is_among(operand, &changed.unknown_receivers)
    }

    /// Whether the operand is a place that overlaps one of `others`.
    fn is_among(&self, operand: &Expr, others: &Set<Place>) -> bool {
        let places = places_in(self.locals, operand);
        places.iter().any(|(place, _)| others.iter().any(|other| other.overlaps(place)))
    }

    /// Whether the operand has a closure that captures by value a place that is changed later. rustc does not let
    /// captures by reference change.
    pub(crate) fn captures_changed(&self, operand: &Expr, changed: &Changed) -> bool {
        match operand {
            Expr::Closure(closure) => {
                let Usage { mentions, moved, .. } = Usage::of_expr(self.locals, operand);
                match closure.capture {
                    Some(_) => !mentions.is_disjoint(&changed.mutated),
                    None => changed.writes.iter().any(|to| moved.iter().any(|it| it.overlaps(to))),
                }
            }
            Expr::Paren(expr) => self.captures_changed(&expr.expr, changed),
            Expr::Reference(expr) => self.captures_changed(&expr.expr, changed),
            Expr::Tuple(expr) => expr.elems.iter().any(|it| self.captures_changed(it, changed)),
            _ => false,
        }
    }

    /// Whether a later operand moves a value that contains the operand's place. A rematerialized borrow is not moved.
    pub(crate) fn is_spent(&self, operand: &Expr, changed: &Changed) -> bool {
        let is_borrow = |place: &Place| self.locals[place.local].is_rematerialized();
        let places = places_in(self.locals, operand);
        !places.iter().any(|(place, _)| is_borrow(place))
            && places.iter().any(|(place, is_all)| {
                let is_within = |spent: &Place| spent.holds(place) && !(*is_all && spent == place);
                changed.moved.iter().any(is_within)
            })
    }

    /// Whether the operand has the same value if it is moved or copied after the later operands.
    pub(crate) fn is_stable_value(&self, expr: &Expr, changed: &Changed) -> bool {
        match expr {
            Expr::Path(path) => match self.locals.of_path(&path.path) {
                Some(local) => !changed.mutated.contains(&local),
                None => true,
            },
            // A move of the base moves the part, unless it is `Copy`. The base may also be a borrow that has ended.
            Expr::Field(expr) => {
                let base = Place::of(&expr.base, &|ident| self.locals.find(ident));
                let is_gone =
                    base.is_some_and(|base| changed.moved.iter().any(|it| it.holds(&base)));
                let has_ended = local_of(self.locals, &expr.base).is_some_and(|local| {
                    !sources_of(self.locals, local).is_disjoint(&changed.mutated)
                });
                !is_gone && !has_ended && self.is_stable_value(&expr.base, changed)
            }
            Expr::Paren(expr) => self.is_stable_value(&expr.expr, changed),
            _ => false,
        }
    }
}

/// The place of an expression, and the places that it denotes through rematerialized borrows. The flag is `false` where
/// the expression denotes an unknown part of the place.
fn places_in(locals: &Locals, expr: &Expr) -> Vec<(Place, bool)> {
    match expr {
        Expr::Path(path) => {
            let local = locals.of_path(&path.path);
            let Some(local) = local else { return Vec::new() };
            let mut places = match locals[local].rematerialized_by() {
                Some(Expr::Reference(borrow)) => places_in(locals, &borrow.expr),
                _ => Vec::new(),
            };
            places.push((Place::whole(local), true));
            places
        }
        Expr::Field(field) => {
            let within = places_in(locals, &field.base).into_iter();
            within
                .map(|(place, is_all)| match is_all {
                    true => (place.field(&field.member), true),
                    false => (place, false),
                })
                .collect()
        }
        Expr::Index(expr) => {
            places_in(locals, &expr.expr).into_iter().map(|(place, _)| (place, false)).collect()
        }
        Expr::Unary(expr) if matches!(expr.op, UnOp::Deref(_)) => places_in(locals, &expr.expr),
        Expr::Paren(expr) => places_in(locals, &expr.expr),
        _ => Vec::new(),
    }
}
