//! Parts of locals that are moved out while the rest is saved. See [`crate::holes`].

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::links::exits_of;
use super::{Link, Root, Variable};
use crate::holes::Holes;
use crate::ir::{BlockId, Graph};
use crate::usage::Place;

/// Which parts are taken out of locals that the next roots are given as a whole.
pub(super) fn taken(
    graph: &Graph,
    links: &[Link],
    root_of: &[BlockId],
    holes: &Holes,
    roots: &[Root],
    variables: &[Variable],
) -> BTreeMap<(BlockId, usize), Vec<Place>> {
    let mut vacant: HashMap<BlockId, BTreeSet<Place>> = HashMap::new();
    for root in roots {
        let places = root.entry.iter().map(|id| &variables[id.0].place);
        let whole = places.filter(|place| place.fields.is_empty());
        let vacant_here = whole.flat_map(|place| holes.vacant(root.block, place.local)).cloned();
        vacant.insert(root.block, vacant_here.collect());
    }
    let mut missed: HashMap<BlockId, BTreeSet<Place>> = HashMap::new();
    for id in graph.block_ids() {
        let exits = exits_of(graph, links, id).into_iter().flatten();
        let missed = missed.entry(root_of[id.0]).or_default();
        missed.extend(exits.flat_map(|exit| &vacant[&exit]).cloned());
    }
    let nodes = graph.block_ids().flat_map(|id| (0..=graph[id].nodes.len()).map(move |n| (id, n)));
    let taken = nodes.map(|at| {
        let missed = &missed[&root_of[at.0.0]];
        (at, holes.taken(graph, missed, at.0, at.1))
    });
    taken.filter(|(_, parts)| !parts.is_empty()).collect()
}

/// What stays gone until another root fills it is not forgotten before.
pub(super) fn forget_late(graph: &Graph, links: &[Link], root_of: &[BlockId], roots: &mut [Root]) {
    let gone: HashMap<BlockId, Vec<Place>> =
        roots.iter().map(|root| (root.block, root.gone.clone())).collect();
    for root in roots.iter_mut().filter(|root| !root.gone.is_empty()) {
        let blocks = graph.block_ids().filter(|id| root_of[id.0] == root.block);
        let exits = blocks.flat_map(|id| exits_of(graph, links, id)).flatten();
        let later: Vec<&Place> = exits.flat_map(|exit| &gone[&exit]).collect();
        root.gone.retain(|part| !later.contains(&part));
    }
}
