//! Places that an `async` block assigns must be initialized when the block is created.
//!
//! ```text
//! pair.0 = make();
//! join!(async { pair = make_both().await; … }, …)    // borrows all of `pair` where it begins
//! ```
//!
//! An assignment by itself does not need the old value of the place. But an `async` block borrows the places that
//! it assigns when it is created, like the closure that it becomes, so they must be initialized before that. Locals
//! without moved parts are captured as a whole anyway.

use crate::collections::sets::Set;
use crate::ir::usage::Place;
use crate::ir::{Graph, LocalId, RegionId};

/// Adds reads, at the creation of each region, of the outer places that the region assigns.
pub(super) fn note(graph: &mut Graph) {
    let parts = graph.touched.partial_moves.iter().filter(|part| !part.fields.is_empty());
    let lose_parts: Set<LocalId> = parts.map(|part| part.local).collect();
    if lose_parts.is_empty() {
        return;
    }
    for region in graph.region_ids() {
        let own = graph.locals_within(region);
        let mut assigned = assigned(graph, region);
        assigned.retain(|it| lose_parts.contains(&it.local) && !own.contains(&it.local));
        // An unreachable region has no block.
        let entry = graph[region].entry;
        let Some(block) = graph.blocks.get_mut(entry.0) else { continue };
        let first = block.usages.first_mut().unwrap_or(&mut block.end_usage);
        for place in assigned {
            first.add_read(place.clone(), Set::new());
            first.reads.insert(place);
        }
    }
}

/// The places that a region and its inner regions assign.
fn assigned(graph: &Graph, region: RegionId) -> Set<Place> {
    let places = graph.usages_within(region).flat_map(|usage| {
        let whole = usage.reassigned.iter().map(|local| Place::whole(*local));
        whole.chain(usage.maybe_assigned_parts.iter().cloned())
    });
    places.collect()
}
