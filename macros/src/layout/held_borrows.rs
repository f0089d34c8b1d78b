//! Borrows that are live across a segment.
//!
//! A borrow that is used after an await is rematerialized there. Between two steps nothing is borrowed, so rustc alone
//! would accept a step that changes the borrowed place and does not use the borrow. Therefore, a segment that names the
//! borrowed place rematerializes the borrow as well, and uses it at its end. rustc then reports the same conflicts as
//! in the plain function. Of several shared borrows of one place, one is enough.

use std::collections::BTreeMap;

use syn::{Expr, ExprCall};

use super::segments::Exits;
use crate::collections::sets::Set;
use crate::flow::liveness::Liveness;
use crate::ir::usage::{Place, Usage};
use crate::ir::{BlockId, Graph, Local, LocalId, Locals};
use crate::values::runtime_calls::function;

/// By segment, then by the segment that follows: the borrows that are live between them.
pub(super) type Held = BTreeMap<BlockId, BTreeMap<BlockId, Vec<LocalId>>>;

/// Finds the held borrows. `mentioned` has the locals that each segment names, by its first block.
pub(super) fn held(
    graph: &Graph,
    liveness: &Liveness,
    exits: &[Exits],
    segment_of: &[BlockId],
    mentioned: &[Set<LocalId>],
) -> Held {
    let mut held = Held::new();
    if graph.locals.ids().all(|id| is_saved_and_borrows_nothing(&graph.locals[id])) {
        return held;
    }
    for id in graph.block_ids() {
        let segment = segment_of[id.0];
        let mentioned = &mentioned[segment.0];
        for to in exits[id.0].iter().copied().flatten() {
            let is_own = |local: &LocalId| {
                let region = graph[id].region;
                !region.is_some_and(|id| liveness.captures().is_used_outside(id, *local))
            };
            let borrows = liveness.rematerialized(graph, to).into_iter();
            let borrows = borrows.filter(|local| is_borrow(graph, *local) && is_own(local));
            let borrows: Vec<_> = borrows.collect();
            // A borrow from which another one is rematerialized is covered by that one.
            let lent: Set<_> = borrows.iter().flat_map(|it| sources_of(graph, *it)).collect();
            let is_mentioned =
                |local: &LocalId| sources_of(graph, *local).any(|of| mentioned.contains(&of));
            let left = borrows.into_iter();
            let left = left.filter(|local| !lent.contains(local) && is_mentioned(local));
            let mut left = without_those_alike(graph, left, mentioned);
            left.extend(loops(graph, liveness, segment, to).filter(|local| {
                is_own(local) && !borrowed_by(graph, *local).is_disjoint(mentioned)
            }));
            if !left.is_empty() {
                held.entry(segment).or_default().insert(to, left);
            }
        }
    }
    held
}

fn is_saved_and_borrows_nothing(local: &Local) -> bool {
    !local.is_rematerialized() && local.loop_borrow.is_none()
}

/// Removes the shared borrows whose mentioned places an earlier one in the list borrows, too.
fn without_those_alike(
    graph: &Graph,
    borrows: impl Iterator<Item = LocalId>,
    mentioned: &Set<LocalId>,
) -> Vec<LocalId> {
    let mut looked_at: Set<Place> = Set::new();
    let is_mentioned = |place: &Place| !graph.sources_of(place.local).is_disjoint(mentioned);
    let says_more = |local: &LocalId| {
        let made = graph.locals[*local].rematerialized_by();
        let Some(places) = made.and_then(|made| looks_at(&graph.locals, made)) else {
            return true;
        };
        let is_new = |place: &Place| !looked_at.iter().any(|known| known.holds(place));
        let says_more = places.iter().any(|place| is_mentioned(place) && is_new(place));
        looked_at.extend(places);
        says_more
    };
    borrows.filter(says_more).collect()
}

/// The places of a shared borrow; `None` if it may be a mutable borrow, or if the source does not show the places.
fn looks_at(locals: &Locals, made: &Expr) -> Option<Vec<Place>> {
    match made {
        Expr::Paren(made) => looks_at(locals, &made.expr),
        Expr::Reference(made) if made.mutability.is_none() => {
            Some(vec![Place::of(&made.expr, &|ident| locals.find(ident))?])
        }
        Expr::Path(path) => {
            let local = &locals[locals.of_path(&path.path)?];
            looks_at(locals, local.rematerialized_by()?)
        }
        Expr::Tuple(parts) => {
            let parts = parts.elems.iter().map(|part| looks_at(locals, part));
            Some(parts.collect::<Option<Vec<_>>>()?.concat())
        }
        Expr::Match(made) => looks_at(locals, &made.expr),
        Expr::Call(call) => looks_at(locals, call.args.first().filter(|_| is_look_up(call))?),
        _ => None,
    }
}

/// Whether the result of the call borrows from its first argument and from nothing else.
fn is_look_up(call: &ExprCall) -> bool {
    function(call).is_some_and(|name| ["lent_by", "opened"].contains(&name.as_str()))
}

/// The positions of the loops over borrows that contain both blocks.
fn loops(
    graph: &Graph,
    liveness: &Liveness,
    segment: BlockId,
    to: BlockId,
) -> impl Iterator<Item = LocalId> {
    let locals = graph.locals.ids().filter(|local| graph.locals[*local].loop_borrow.is_some());
    locals.filter(move |local| [segment, to].iter().all(|block| liveness.is_live(*block, *local)))
}

/// The locals that a loop borrows, with those from which they are rematerialized; empty for other locals.
pub(crate) fn borrowed_by(graph: &Graph, position: LocalId) -> Set<LocalId> {
    let lent = graph.locals[position].loop_borrow.as_ref();
    let mentions = lent.map(|expr| Usage::of_expr(&graph.locals, expr).mentions);
    let mentions = mentions.into_iter().flatten();
    mentions.flat_map(|local| graph.sources_of(local)).copied().collect()
}

/// Whether the local is rematerialized as a borrow from a saved local. Closures are left out: rustc cannot infer the
/// types of a closure that is not called.
pub(super) fn is_borrow(graph: &Graph, local: LocalId) -> bool {
    let is_saved = |local: LocalId| !graph.locals[local].is_rematerialized();
    !matches!(graph.locals[local].rematerialized_by(), None | Some(Expr::Closure(_)))
        && sources_of(graph, local).any(is_saved)
}

/// The locals from which the local is rematerialized.
fn sources_of(graph: &Graph, local: LocalId) -> impl Iterator<Item = LocalId> {
    graph.sources_of(local).iter().copied().filter(move |of| *of != local)
}
