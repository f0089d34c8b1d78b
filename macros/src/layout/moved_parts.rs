//! Parts that are moved out of a local which is saved as a whole afterwards.
//!
//! ```text
//! let lines = order.lines;
//! order.lines = ship(&lines).await;      // needs the rest of `order` after the await
//! price(&order).await
//! ```
//!
//! The rest cannot be saved by itself, because the other fields of `order` are not known. Whether such a part is `Copy`, and
//! so stays where it is, only rustc knows. Input: the vacant parts per block, and the locals that segments receive. Output:
//! the parts of which rustc is asked.

use std::collections::BTreeMap;

use super::links::Exits;
use super::{Segment, Variable};
use crate::collections::sets::Set;
use crate::flow::liveness::Liveness;
use crate::flow::move_paths::MovedParts;
use crate::ir::usage::Place;
use crate::ir::{BlockId, Graph};

/// Finds them, by the node of a block that moves them out; the end of a block comes after its last node.
pub(super) fn find(
    graph: &Graph,
    liveness: &Liveness,
    exits: &[Exits],
    segment_of: &[BlockId],
    moved_parts: &MovedParts,
    segments: &[Segment],
    variables: &[Variable],
) -> BTreeMap<(BlockId, usize), Vec<Place>> {
    if moved_parts.are_none() {
        return BTreeMap::new();
    }
    // What is vacant of what each segment receives.
    let vacant = segments.iter().map(|segment| {
        let places = segment.entry.iter().map(|id| &variables[id.0].place);
        let vacant = places.flat_map(|place| {
            let vacant = moved_parts.vacant(segment.block, place.local);
            vacant.filter(move |part| place.holds(part) && *part != place)
        });
        (segment.block, vacant.cloned().collect::<Set<_>>())
    });
    let vacant: BTreeMap<_, _> = vacant.collect();
    if vacant.values().all(Set::is_empty) {
        return BTreeMap::new();
    }
    let mut missed: BTreeMap<BlockId, Set<Place>> = BTreeMap::new();
    for id in graph.block_ids() {
        let missed = missed.entry(segment_of[id.0]).or_default();
        for exit in exits[id.0].iter().flatten() {
            missed.add(&vacant[exit]);
        }
    }
    let captures = liveness.captures();
    let mut found = BTreeMap::new();
    for id in graph.block_ids() {
        let missed = &missed[&segment_of[id.0]];
        let is_outside =
            |local| graph[id].region.is_some_and(|region| captures.is_used_outside(region, local));
        // What nothing needs from there on is not saved.
        for (node, needed) in liveness.needed_after(graph, id).into_iter().enumerate() {
            let mut moved = moved_parts.moved(graph, liveness, missed, (id, node));
            moved.retain(|part| needed.contains(&part.local) || is_outside(part.local));
            if !moved.is_empty() {
                found.insert((id, node), moved);
            }
        }
    }
    found
}
