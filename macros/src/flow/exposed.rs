//! Where exposed locals are saved, whether or not the code needs them.
//!
//! Input: the graph. Output: for every block that is entered after a suspension, the initialized exposed locals.
//! `liveness` treats them as read by the block, so they are saved with the state. An exposed local of an outer
//! region that an `async` block uses stays with the outer state.

use crate::collections::sets::Set;
use crate::ir::usage::Place;
use crate::ir::{BlockId, BlockKind, Graph, LocalId, RegionId, ScopeId};

/// By block; empty if no local is exposed.
pub(crate) fn kept(graph: &Graph) -> Vec<Set<Place>> {
    let exposed: Vec<LocalId> =
        graph.locals.ids().filter(|id| graph.locals[*id].visibility.exposed).collect();
    if exposed.is_empty() {
        return Vec::new();
    }
    let mut kept = vec![Set::new(); graph.blocks.len()];
    for local in exposed {
        let scopes = (0..graph.scopes.len()).map(ScopeId);
        let mut declaring = scopes.filter(|scope| graph.scopes[scope.0].locals.contains(&local));
        let Some(scope) = declaring.next() else { continue };
        let region = region_of(graph, scope);
        let has_value = with_value(graph, local);
        for id in graph.block_ids() {
            let block = &graph[id];
            let is_resumed = matches!(block.kind, BlockKind::Resume(_)) && block.region == region;
            if is_resumed && has_value[id.0] && graph.is_in_scope(block.scope, scope) {
                kept[id.0].insert(Place::whole(local));
            }
        }
    }
    kept
}

/// The innermost region around a scope.
fn region_of(graph: &Graph, scope: ScopeId) -> Option<RegionId> {
    let around = graph.region_ids().filter(|id| graph.is_in_scope(scope, graph[*id].scope));
    around.max_by_key(|id| graph.scopes[graph[*id].scope.0].path.len())
}

/// By block, whether the local is initialized on all paths to the block's start.
fn with_value(graph: &Graph, local: LocalId) -> Vec<bool> {
    // The fixed point starts from `true`, except at the entries of the function and of regions.
    let mut has_value = vec![true; graph.blocks.len()];
    let mut todo: Vec<BlockId> = Vec::new();
    for id in graph.block_ids() {
        if matches!(graph[id].kind, BlockKind::Start | BlockKind::Region(_)) {
            has_value[id.0] = false;
            todo.push(id);
        }
    }
    while let Some(id) = todo.pop() {
        let mut has_it = has_value[id.0];
        let mut lacking = Vec::new();
        for usage in graph[id].all_usages() {
            if !has_it {
                lacking.extend(
                    crate::flow::move_paths::targets(graph, usage).into_iter().map(|(_, to)| to),
                );
            }
            has_it |= usage.assigned.contains(&local);
        }
        if !has_it {
            let unbound = graph.edges(id).iter().filter(|(_, bound)| !bound.contains(&local));
            lacking.extend(unbound.map(|(to, _)| *to));
        }
        for to in lacking {
            if std::mem::replace(&mut has_value[to.0], false) {
                todo.push(to);
            }
        }
    }
    has_value
}
