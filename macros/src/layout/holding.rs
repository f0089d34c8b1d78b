//! Borrows that outlive a root.
//!
//! A borrow that is used after an await is made again there, so between two steps nobody borrows
//! anything, and rustc alone would not see that what is borrowed is changed in a step that does not
//! use the borrow. So where a root names what a borrow is made of and leaves the borrow to other
//! roots, it makes it too, and uses it where it ends: what rustc says of that step is what it says of
//! the plain function.

use std::collections::{BTreeMap, BTreeSet};

use syn::Expr;

use super::links::exits_of;
use super::{Link, Liveness};
use crate::ir::{BlockId, Graph, LocalId};
use crate::usage::{self, Usage};

/// By root, then by where it goes on: the borrows that it leaves to others.
pub(super) type Held = BTreeMap<BlockId, BTreeMap<BlockId, Vec<LocalId>>>;

/// Finds what is held. `mentioned` is what each root names.
pub(super) fn held(
    graph: &Graph,
    liveness: &Liveness,
    links: &[Link],
    root_of: &[BlockId],
    mentioned: &BTreeMap<BlockId, BTreeSet<LocalId>>,
) -> Held {
    let mut held = Held::new();
    for id in graph.block_ids() {
        let root = root_of[id.0];
        let Some(mentioned) = mentioned.get(&root) else { continue };
        for to in exits_of(graph, links, id).into_iter().flatten() {
            let is_own = |local: &LocalId| {
                let region = graph[id].region;
                !region.is_some_and(|id| liveness.captures().is_used_outside(id, *local))
            };
            let borrows = liveness.remade(graph, to).into_iter();
            let borrows: BTreeMap<LocalId, BTreeSet<LocalId>> = borrows
                .filter(|local| is_borrow(graph, *local) && is_own(local))
                .map(|local| (local, made_of(graph, local)))
                .collect();
            // One that another is made of is lent to that.
            let is_lent = |local: &LocalId| borrows.values().any(|made_of| made_of.contains(local));
            let left = borrows
                .iter()
                .filter(|(local, made_of)| !is_lent(local) && !made_of.is_disjoint(mentioned));
            let mut left: Vec<_> = left.map(|(local, _)| *local).collect();
            left.extend(
                loops(graph, liveness, root, to).filter(|local| {
                    is_own(local) && !lent_by(graph, *local).is_disjoint(mentioned)
                }),
            );
            if !left.is_empty() {
                held.entry(root).or_default().insert(to, left);
            }
        }
    }
    held
}

/// The positions of loops over borrows in which both blocks are.
fn loops(
    graph: &Graph,
    liveness: &Liveness,
    root: BlockId,
    to: BlockId,
) -> impl Iterator<Item = LocalId> {
    let locals = graph.locals.ids().filter(|local| graph.locals[*local].lent.is_some());
    locals.filter(move |local| [root, to].iter().all(|block| liveness.is_live(*block, *local)))
}

/// What a loop has borrowed, with what that is made of; nothing for what is no position of a loop.
pub(super) fn lent_by(graph: &Graph, position: LocalId) -> BTreeSet<LocalId> {
    let lent = graph.locals[position].lent.as_ref();
    let mentions = lent.map(|expr| Usage::of_expr(&graph.locals, expr).mentions);
    let mentions = mentions.into_iter().flatten();
    mentions.flat_map(|local| usage::made_of(&graph.locals, local)).collect()
}

/// Whether the local borrows from one that is saved. Of a closure rustc could not tell the types
/// where it is not called.
fn is_borrow(graph: &Graph, local: LocalId) -> bool {
    !matches!(graph.locals[local].remade, None | Some(Expr::Closure(_)))
        && made_of(graph, local).iter().any(|local| graph.locals[*local].remade.is_none())
}

/// What the local is made of, without itself.
fn made_of(graph: &Graph, local: LocalId) -> BTreeSet<LocalId> {
    let mut made_of = usage::made_of(&graph.locals, local);
    made_of.remove(&local);
    made_of
}
