//! Parts that the `async` block of a branch moves out of a local, while other code needs the rest.
//!
//! ```text
//! join!(async { for line in order.lines { … } note(&order.name) }, async { pack(&order.name).await })
//! ```
//!
//! Such a block captures the part by value, and the rest by reference. A region owns whole locals only, so the part
//! becomes a local before the branches: `let mut order_lines = order.lines;`. Input: the graph and its liveness.
//! Output: the parts that [`anf`](crate::anf) must turn into locals in a second run. Guarantees: no other code
//! reads such a part before it is assigned again. Whether it is `Copy` is not known, and does not matter then.

use crate::collections::sets::Set;
use crate::flow::liveness::Liveness;
use crate::flow::move_paths;
use crate::ir::usage::{Place, Usage};
use crate::ir::{BlockId, BlockKind, CapturedPart, Graph, LocalKind, RegionId};

/// Finds them in the order of the branches.
pub(crate) fn find(graph: &Graph, liveness: &Liveness) -> Vec<CapturedPart> {
    let mut found: Vec<(RegionId, Place)> = Vec::new();
    for id in graph.region_ids().filter(|id| !graph[*id].is_move) {
        let moves = graph.usages_within(id).flat_map(|usage| &usage.moves);
        let parts = moves.filter(|part| !part.fields.is_empty());
        let parts: Set<&Place> = parts.collect();
        // A part comes before those in it.
        for part in parts {
            let is_known = found
                .iter()
                .any(|(other, known)| graph.is_within(Some(id), *other) && known.overlaps(part));
            if !is_known && takes_over(graph, liveness, id, part) {
                found.push((id, part.clone()));
            }
        }
    }
    let moved = found.into_iter().map(|(id, part)| CapturedPart {
        point: graph[id].point,
        index: graph[id].index,
        local: graph.locals[part.local].ident.clone(),
        fields: part.fields,
    });
    moved.collect()
}

/// Whether the region alone uses the part where it has begun.
fn takes_over(graph: &Graph, liveness: &Liveness, id: RegionId, part: &Place) -> bool {
    let local = &graph.locals[part.local];
    let named = |usage: &Usage| -> Set<Place> {
        let direct = usage.reads.iter().chain(&usage.fills).cloned();
        let whole = usage.assigned.iter().copied().map(Place::whole);
        direct.chain(whole).chain(move_paths::seen(graph, usage)).collect()
    };
    let overlaps = |usage: &Usage| named(usage).iter().any(|place| place.overlaps(part));
    let is_whole =
        |usage: &Usage| named(usage).iter().any(|place| place != part && place.holds(part));
    let is_free = |id: RegionId| {
        let mut siblings = graph.regions_of(graph[id].point).filter(|other| *other != id);
        let Some((begin, resume)) = wait(graph, id) else { return false };
        !siblings.any(|id| graph.usages_within(id).any(overlaps))
            && !overlaps(&graph[begin].end_usage)
            && (!liveness.live_in(resume).iter().any(|place| place.overlaps(part))
                || move_paths::is_filled_first(graph, resume, part))
    };
    // What is around it may use the part from outside, too.
    let mut around = std::iter::successors(Some(id), |id| graph[*id].parent)
        .take_while(|id| liveness.captures().is_used_outside(*id, part.local));
    local.remade.is_none()
        && local.kind_of(&part.fields) == LocalKind::Value
        && liveness.captures().is_used_outside(id, part.local)
        && !graph.usages_within(id).any(is_whole)
        && around.all(is_free)
}

/// Where the region begins, and where control goes after the wait for it.
fn wait(graph: &Graph, region: RegionId) -> Option<(BlockId, BlockId)> {
    let begin = graph.block_ids().find(|id| graph[*id].end.regions().contains(&region))?;
    let resume =
        graph.block_ids().find(|id| graph[*id].kind == BlockKind::Resume(graph[region].point))?;
    Some((begin, resume))
}
