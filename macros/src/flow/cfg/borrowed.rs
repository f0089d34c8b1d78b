//! What an `async` block changes has been there since it was made.
//!
//! ```text
//! pair.0 = make();
//! join!(async { pair = make_both().await; … }, …)    // borrows all of `pair` where it begins
//! ```
//!
//! An assignment needs nothing of what was in the place before. But an `async` block borrows the places
//! that it assigns when it is made, as the closure does that it becomes, so for both they must be filled
//! until then. A local of which no part is ever moved out is given as a whole anyway.

use crate::collections::sets::Set;
use crate::ir::usage::Place;
use crate::ir::{Graph, LocalId, RegionId};

/// Notes where regions begin that they look at what they assign outside of themselves.
pub(super) fn note(graph: &mut Graph) {
    let parts = graph.touched.moves.iter().filter(|part| !part.fields.is_empty());
    let lose_parts: Set<LocalId> = parts.map(|part| part.local).collect();
    if lose_parts.is_empty() {
        return;
    }
    for region in graph.region_ids() {
        let own = graph.locals_within(region);
        let mut assigned = assigned(graph, region);
        assigned.retain(|it| lose_parts.contains(&it.local) && !own.contains(&it.local));
        // What is never reached has no block.
        let entry = graph[region].entry;
        let Some(block) = graph.blocks.get_mut(entry.0) else { continue };
        let first = block.usages.first_mut().unwrap_or(&mut block.end_usage);
        for place in assigned {
            first.look(place.clone(), Set::new());
            first.reads.insert(place);
        }
    }
}

/// The places that a region assigns, with the regions in it.
fn assigned(graph: &Graph, region: RegionId) -> Set<Place> {
    let places = graph.usages_within(region).flat_map(|usage| {
        let whole = usage.replaces.iter().map(|local| Place::whole(*local));
        whole.chain(usage.fills.iter().cloned())
    });
    places.collect()
}
