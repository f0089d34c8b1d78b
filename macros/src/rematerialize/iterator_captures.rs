//! Refuses loops whose iterator changes a variable while it yields items, where that is observable.
//!
//! If the items of a loop cannot be found again by position, the loop collects all of them when it starts. The
//! difference is observable only if the iterator changes a variable with each item, the loop ends early, and the
//! variable is read afterwards: `for job in iter::from_fn(|| queue.pop_front()) { …; break }`.

use syn::{Block, Expr};

use crate::collections::sets::Set;
use crate::diagnostics::rules::Rule;
use crate::ir::usage::Usage;
use crate::ir::{LocalId, Locals};
use crate::lower::Lower;
use crate::syntax::calls::is_constructor;
use crate::syntax::exits::Exits;
use crate::syntax::methods::{Fact, is, is_one_of};
use crate::syntax::names::is_any_of;
use crate::values::text_types::yields_lazily;

/// Adapters whose closure receives each item.
const DOING: [&str; 6] = ["filter_map", "flat_map", "inspect", "map", "map_while", "scan"];

/// Methods that leave the items that are not yielded in the collection.
const TAKING_OUT: [&str; 1] = ["extract_if"];

/// Functions that create an iterator from a closure.
const MAKERS: [&str; 4] = ["from_fn", "once_with", "repeat_with", "successors"];

impl Lower<'_> {
    /// Reports a variable that the iterator changes with each item, if the loop may end early and the variable is used
    /// afterwards.
    pub(crate) fn check_captures(&self, iterator: &Expr, body: &Block) {
        let mut changed = Set::new();
        changed_by(&self.locals, iterator, &mut changed);
        if changed.is_empty() || !self.may_end_early(body) {
            return;
        }
        let Some(name) = self.needed_later(changed) else { return };
        self.diagnostics.error_at(
            iterator,
            Rule::SAVED_LOCALS,
            format!(
                "this loop collects its items before it starts, so `{name}` also changes for items after a `break`"
            ),
            &format!("change `{name}` in the loop body: write `while let Some(item) = …`, or loop over a value that \
                      stays unchanged"),
        );
    }

    /// Reports a variable that the values zipped to borrowed items change, if it is used after the loop: the values are
    /// collected before the number of items is known. With `is_bounded`, they are at most as many as the items.
    pub(crate) fn check_zipped(&self, values: &Expr, is_bounded: bool, body: &Block) {
        let mut changed = Set::new();
        changed_by(&self.locals, values, &mut changed);
        if changed.is_empty() || is_bounded && !self.may_end_early(body) {
            return;
        }
        let Some(name) = self.needed_later(changed) else { return };
        self.diagnostics.error_at(
            values,
            Rule::SAVED_LOCALS,
            format!(
                "this loop collects these values before it starts, so `{name}` also changes for items that it never \
                 reaches"
            ),
            &format!("take each value from `{name}` in the loop body, or iterate over a value that stays unchanged"),
        );
    }

    /// The name of a local in `changed` that is used after the loop.
    fn needed_later(&self, changed: Set<LocalId>) -> Option<String> {
        let needed =
            |local: &LocalId| self.is_used_in_next_round(*local) || self.is_used_later(*local);
        let local = changed.into_iter().find(needed)?;
        Some(self.locals[local].name().to_string())
    }

    /// Whether the next round of an enclosing loop may use the local. A local declared in the body of that loop is a
    /// new one in each round.
    fn is_used_in_next_round(&self, local: LocalId) -> bool {
        let innermost = self.jumps.innermost_loop();
        innermost.is_some_and(|scope| !self.declared[scope.declared..].contains(&local))
    }

    fn may_end_early(&self, body: &Block) -> bool {
        let (attrs, label) = (Vec::new(), None);
        let mut exits = Exits::default();
        exits.note(&Expr::Block(syn::ExprBlock { attrs, label, block: body.clone() }));
        // After a `return` or `?` of the workflow, nothing can read the variable.
        exits.ends || exits.function && self.points.is_in_branch()
    }
}

/// Adds the locals that an iterator changes while it is consumed, as far as the source shows.
fn changed_by(locals: &Locals, iterator: &Expr, out: &mut Set<LocalId>) {
    match iterator {
        Expr::Paren(expr) => changed_by(locals, &expr.expr, out),
        Expr::Call(call) => {
            let is_maker = matches!(&*call.func, Expr::Path(path)
                if path.path.segments.last().is_some_and(|last| is_any_of(&last.ident, &MAKERS)));
            for closure in call.args.iter().filter(|_| is_maker) {
                // A closure that yields items changes state.
                let Usage { mutated, writes, .. } = usage_of_closure(locals, closure);
                out.extend(mutated.into_iter().filter(|local| locals[*local].mutable));
                out.extend(writes.into_iter().map(|place| place.local));
            }
            let is_asked = matches!(&*call.func, Expr::Path(path)
                if path.path.segments.last().is_some_and(|last| yields_lazily(&last.ident)));
            // The struct keeps a mutable borrow until the iterator is consumed.
            let keeps = is_asked || is_constructor(&call.func);
            let borrowed = call.args.iter().filter(|_| keeps).filter_map(borrowed_mutably);
            out.extend(borrowed.filter_map(|place| root_of(locals, place)));
        }
        Expr::Struct(made) => {
            let borrowed = made.fields.iter().filter_map(|field| borrowed_mutably(&field.expr));
            out.extend(borrowed.filter_map(|place| root_of(locals, place)));
        }
        Expr::MethodCall(call) if is_one_of(&TAKING_OUT, call) || yields_lazily(&call.method) => {
            out.extend(root_of(locals, &call.receiver));
        }
        Expr::MethodCall(call) if is(call, Fact::Iterator) => {
            changed_by(locals, &call.receiver, out);
            for argument in &call.args {
                let usage = usage_of_closure(locals, argument);
                out.extend(usage.writes.into_iter().map(|place| place.local));
                changed_by(locals, argument, out);
                out.extend(borrowed_mutably(argument).and_then(|it| root_of(locals, it)));
            }
            out.extend(borrowed_mutably(&call.receiver).and_then(|it| root_of(locals, it)));
            let changed = match &call.method {
                method if method == "by_ref" => Some(&*call.receiver),
                method if is_any_of(method, &DOING) => lent_mutably(&call.receiver),
                _ => None,
            };
            out.extend(changed.and_then(|changed| root_of(locals, changed)));
        }
        _ => {}
    }
}

/// The place of a mutable borrow that is itself an iterator: `(&mut ids).zip(…)`.
fn borrowed_mutably(expr: &Expr) -> Option<&Expr> {
    match expr {
        Expr::Reference(expr) => expr.mutability.is_some().then_some(&*expr.expr),
        Expr::Paren(expr) => borrowed_mutably(&expr.expr),
        _ => None,
    }
}

/// The place that the items of an iterator borrow mutably.
fn lent_mutably(iterator: &Expr) -> Option<&Expr> {
    match iterator {
        Expr::MethodCall(call) if is(call, Fact::Iterator) => lent_mutably(&call.receiver),
        Expr::MethodCall(call) => {
            call.method.to_string().ends_with("_mut").then_some(&*call.receiver)
        }
        _ => None,
    }
}

/// The local of a place.
fn root_of(locals: &Locals, place: &Expr) -> Option<LocalId> {
    match place {
        Expr::Path(path) => locals.of_path(&path.path),
        Expr::Field(expr) => root_of(locals, &expr.base),
        Expr::Index(expr) => root_of(locals, &expr.expr),
        Expr::Paren(expr) => root_of(locals, &expr.expr),
        Expr::MethodCall(call) => root_of(locals, &call.receiver),
        _ => None,
    }
}

fn usage_of_closure(locals: &Locals, expr: &Expr) -> Usage {
    match expr {
        Expr::Closure(_) => Usage::of_expr(locals, expr),
        _ => Usage::default(),
    }
}
