//! Parts of locals that are moved out and assigned again before the whole is used.
//!
//! ```text
//! let name = order.customer;
//! order.customer = refine(&name).await;      // needs the rest of `order` after the await
//! price(&order).await
//! ```
//!
//! The rest cannot be saved by itself, because the macro does not know the other fields of `order`. So a copy takes the
//! place of the part (see [`crate::layout`]). A part is *vacant* at a point if it is assigned before it is read on
//! every path from there. Input: the graph and its liveness. Output: [`MovedParts`], the vacant parts at each point.
//! Guarantees: nothing reads a part that is reported as vacant before it is assigned.

use crate::collections::sets::Set;
use crate::flow::liveness::Liveness;
use crate::ir::usage::{Jump, Place, Usage};
use crate::ir::{BlockId, BlockKind, Graph, LocalId, Terminator};

/// The result of the analysis.
#[derive(Debug, Default)]
pub(crate) struct MovedParts {
    /// By block and node, the parts that are vacant before it; the last entry is for the terminator.
    vacant: Vec<Vec<Set<Place>>>,
    /// By block, the parts that are vacant after the terminator is evaluated.
    vacant_after: Vec<Set<Place>>,
}

/// Analyzes the graph.
pub(crate) fn analyze(graph: &Graph, liveness: &Liveness) -> MovedParts {
    let all = &graph.touched.maybe_assigned_parts;
    let mut moved_parts = MovedParts::default();
    if all.is_empty() {
        return moved_parts;
    }
    for block in &graph.blocks {
        moved_parts.vacant.push(vec![all.clone(); block.nodes.len() + 1]);
        moved_parts.vacant_after.push(all.clone());
    }
    let mut changed = true;
    while changed {
        changed = false;
        for id in graph.block_ids().collect::<Vec<_>>().into_iter().rev() {
            changed |= moved_parts.go_back(graph, liveness, all, id);
        }
    }
    moved_parts
}

impl MovedParts {
    /// Whether no part is vacant anywhere.
    pub(crate) fn are_none(&self) -> bool {
        self.vacant.is_empty()
    }

    /// The parts of a local that are vacant where a segment begins.
    pub(crate) fn vacant(&self, segment: BlockId, local: LocalId) -> impl Iterator<Item = &Place> {
        let vacant = self.vacant.get(segment.0).and_then(|nodes| nodes.first());
        vacant.into_iter().flatten().filter(move |part| part.local == local)
    }

    /// Whether a part is vacant where a segment begins.
    pub(crate) fn is_vacant(&self, segment: BlockId, part: &Place) -> bool {
        self.vacant.get(segment.0).is_some_and(|vacant| vacant[0].contains(part))
    }

    /// The parts that a node or the terminator of a block moves, and that are vacant after it. `missed` are the parts
    /// without which the next segment would not receive the local as a whole.
    pub(crate) fn moved(
        &self,
        graph: &Graph,
        liveness: &Liveness,
        missed: &Set<Place>,
        (id, node): (BlockId, usize),
    ) -> Vec<Place> {
        let Some(vacant) = self.vacant.get(id.0) else { return Vec::new() };
        let block = &graph[id];
        let usages: Vec<&Usage> = block.all_usages().collect();
        let after = vacant.get(node + 1).unwrap_or(&self.vacant_after[id.0]);
        let usage = usages[node];
        let over = if node == block.nodes.len() {
            taken_over(graph, liveness, &block.end)
        } else {
            Set::new()
        };
        // An unknown method may move its receiver.
        let is_moved = |part: &Place| {
            let mut moved = usage.partial_moves.iter().chain(&usage.unknown_receivers).chain(&over);
            moved.any(|moved| moved.overlaps(part))
        };
        // No part of a local that is moved as a whole can be assigned.
        let is_there = |part: &Place| {
            !usage.moved_at_end.contains(&part.local)
                && !over.iter().any(|whole| whole.holds(part) && whole != part)
        };
        // A part that is assigned again before the block ends needs no copy.
        let stays =
            |part: &Place| usages[node..].iter().all(|usage| !fills(&usage.assigned_parts, part));
        after
            .difference(&vacant[node])
            .filter(|part| missed.contains(part))
            .filter(|part| is_moved(part) && is_there(part) && stays(part))
            .cloned()
            .collect()
    }

    /// Whether the place is vacant in all regions that a terminator begins.
    fn is_filled_within(&self, graph: &Graph, end: &Terminator, place: &Place) -> bool {
        end.regions().into_iter().all(|region| self.is_vacant(graph[region].entry, place))
    }

    /// Computes the vacant parts of a block from those of its successors. Returns whether they have changed.
    fn go_back(
        &mut self,
        graph: &Graph,
        liveness: &Liveness,
        all: &Set<Place>,
        id: BlockId,
    ) -> bool {
        let block = &graph[id];
        // All parts of a local that is not live are vacant.
        let at = |moved_parts: &Self, to: BlockId| -> Set<Place> {
            let needed = liveness.live_in(to);
            let is_needed = |part: &&Place| needed.iter().any(|place| place.local == part.local);
            let vacant = &moved_parts.vacant[to.0][0];
            all.iter().filter(|part| vacant.contains(part) || !is_needed(part)).cloned().collect()
        };
        let mut vacant = all.clone();
        for (to, _) in graph.edges(id) {
            let mut there = at(self, *to);
            if let BlockKind::Region(region) = graph[*to].kind {
                // A local that a region owns is not read outside it.
                let owned = liveness.captures().owned(region);
                there.extend(all.iter().filter(|part| owned.contains(&part.local)).cloned());
            }
            vacant = &vacant & &there;
        }
        self.vacant_after[id.0].clone_from(&vacant);
        let mut changed = false;
        let usages: Vec<&Usage> = block.all_usages().collect();
        for (index, usage) in usages.into_iter().enumerate().rev() {
            let is_filled = |part: &&Place| {
                fills(&usage.assigned_parts, part) || usage.assigned.contains(&part.local)
            };
            vacant.extend(all.iter().filter(is_filled).cloned());
            for (jump, to) in targets(graph, usage) {
                let flow = usage.at_jumps.get(&jump).cloned().unwrap_or_default();
                let is_new = |part: &&Place| {
                    flow.assigned.contains(&part.local) || fills(&flow.assigned_parts, part)
                };
                let new = all.iter().filter(is_new).cloned();
                vacant = &vacant & &at(self, to).into_iter().chain(new).collect();
            }
            let mut lent = lent(graph, usage);
            if index == block.nodes.len() {
                let over = taken_over(graph, liveness, &block.end).into_iter();
                lent.extend(over.filter(|place| !self.is_filled_within(graph, &block.end, place)));
            }
            vacant.retain(|part| {
                !usage.may_read(part) && !lent.iter().any(|place| place.overlaps(part))
            });
            if index == 0
                && let BlockKind::Resume(point) = block.kind
            {
                // The segment also steps the regions of the point, which may read the part.
                for region in graph.regions_of(point) {
                    let is_outside = |local| liveness.captures().is_used_outside(region, local);
                    let there = at(self, graph[region].entry);
                    vacant.retain(|part| !is_outside(part.local) || there.contains(part));
                }
            }
            changed |= vacant != self.vacant[id.0][index];
            self.vacant[id.0][index].clone_from(&vacant);
        }
        changed
    }
}

/// Whether one of the assigned places contains the part.
fn fills(filled: &Set<Place>, part: &Place) -> bool {
    filled.iter().any(|filled| filled.holds(part))
}

/// The places that move into the regions that a terminator begins.
fn taken_over(graph: &Graph, liveness: &Liveness, end: &Terminator) -> Set<Place> {
    let regions = end.regions().into_iter();
    let places = regions.flat_map(|region| {
        let owned = liveness.captures().owned(region);
        let live = liveness.live_in(graph[region].entry).iter();
        live.filter(|place| owned.contains(&place.local))
    });
    places.cloned().collect()
}

/// The places that code reads, directly or through rematerialized locals.
pub(crate) fn seen(graph: &Graph, usage: &Usage) -> Set<Place> {
    usage.exposed_reads.keys().cloned().chain(lent(graph, usage)).collect()
}

/// The places that code reads through rematerialized locals.
fn lent(graph: &Graph, usage: &Usage) -> Set<Place> {
    let read = usage.exposed_reads.keys().flat_map(|place| &graph.sources[place.local.0].reads);
    read.cloned().collect()
}

/// The successors of a block, at its end and by jumps out of its nodes.
pub(crate) fn successors(graph: &Graph, id: BlockId) -> impl Iterator<Item = BlockId> {
    let ends = graph.edges(id).iter().map(|(to, _)| *to);
    let jumps = graph[id].all_usages().flat_map(|usage| targets(graph, usage));
    ends.chain(jumps.map(|(_, to)| to))
}

/// The targets of the jumps out of a node or terminator.
pub(crate) fn targets(graph: &Graph, usage: &Usage) -> Vec<(Jump, BlockId)> {
    let target = |jump: &Jump| match jump {
        Jump::Break(target) => graph.targets[target.0].exit,
        Jump::Continue(target) => graph.targets[target.0].head,
        Jump::Return => None,
    };
    usage.jumps.iter().filter_map(|jump| Some((*jump, target(jump)?))).collect()
}
