//! Locals that pass through a segment without being used there.

use super::segment_locals::is_made_elsewhere;
use super::segments::{Exits, Link, is_entered_within};
use super::types::Segment;
use super::variables::{Variable, VariableId};
use crate::collections::sets::Set;
use crate::flow::captures::Captures;
use crate::ir::{Block, BlockId, BlockKind, Graph, LocalId, Node, ScopeId, Terminator};
use crate::syntax::divergence;

/// Finds the locals that a segment assigns but that no later code reads, or reads only after a call that may never
/// return. rustc would warn that their variable is unused, although the local is read elsewhere. Returns all locals
/// that are read.
pub(super) fn find_idle(
    graph: &Graph,
    links: &[Link],
    exits: &[Exits],
    segment_of: &[BlockId],
    segments: &mut [Segment],
    variables: &[Variable],
) -> Set<LocalId> {
    let local_of = |id: &VariableId| variables[id.0].place.local;
    // By block; only the first blocks of segments have entries.
    let mut entries: Vec<Set<LocalId>> = vec![Set::new(); graph.blocks.len()];
    for segment in segments.iter() {
        entries[segment.block.0] = segment.entry.iter().map(local_of).collect();
    }
    let mut used: Vec<Set<LocalId>> = vec![Set::new(); graph.blocks.len()];
    let mut surely_used = used.clone();
    let mut all = Set::new();
    let reached = surely_reached(graph, links);
    for id in graph.block_ids() {
        let block = &graph[id];
        let segment = segments.iter().find(|segment| segment.block == segment_of[id.0]);
        let is_left_out =
            |node| segment.is_some_and(|segment| is_made_elsewhere(graph, segments, segment, node));
        let mut seen = Set::new();
        for (index, usage) in block.all_usages().enumerate() {
            let mut read = Set::new();
            for place in &usage.reads {
                read.insert(place.local);
            }
            all.add(&read);
            if !block.nodes.get(index).is_some_and(|node| is_left_out((node, usage))) {
                seen.add(&read);
            }
        }
        let mut behind = Set::new();
        for exit in exits[id.0].iter().flatten() {
            match block.end {
                Terminator::Goto(to) if to == *exit => behind.add(&entries[exit.0]),
                _ => seen.add(&entries[exit.0]),
            }
        }
        let segment = segment_of[id.0].0;
        if reached[id.0] {
            surely_used[segment].add(&seen);
            if !may_never_end(block) {
                surely_used[segment].add(&behind);
            }
        }
        used[segment].add(&seen);
        used[segment].add(&behind);
    }
    // A region borrows the outer locals that it assigns, which is a use.
    for region in graph.region_ids() {
        let own = graph.locals_within(region);
        let blocks = graph.blocks.iter().filter(|block| block.region == Some(region));
        let usages = blocks.flat_map(Block::all_usages);
        all.extend(usages.flat_map(|usage| &usage.mutated).filter(|local| !own.contains(local)));
    }
    // Exposed locals are read from outside the workflow.
    all.extend(graph.locals.ids().filter(|local| graph.locals[*local].visibility.exposed));
    for segment in segments {
        let used = &used[segment.block.0];
        segment.hidden = used - &surely_used[segment.block.0];
        segment.idle = &all - used;
    }
    all
}

/// By block, whether control reaches it from its segment's start without a call that may never return.
fn surely_reached(graph: &Graph, links: &[Link]) -> Vec<bool> {
    let mut reached: Vec<_> = links.iter().map(|link| *link == Link::Segment).collect();
    for id in graph.block_ids() {
        if reached[id.0] && !may_never_end(&graph[id]) {
            for to in graph[id].end.successors() {
                reached[to.0] = true;
            }
        }
    }
    reached
}

/// Whether the node before the jump that ends the block may never return. If the source had code after it, rustc would
/// call that code unreachable as well.
fn may_never_end(block: &Block) -> bool {
    if !matches!(block.end, Terminator::Goto(_)) {
        return false;
    }
    let mut code = block.nodes.iter().rev().filter_map(|node| match node {
        Node::Code(stmt) => Some(stmt),
        _ => None,
    });
    code.next().is_some_and(divergence::may_never_end)
}

/// Finds the variables that only pass through each segment.
pub(super) fn keep(
    graph: &Graph,
    exits: &[Exits],
    segment_of: &[BlockId],
    segments: &mut [Segment],
    variables: &mut [Variable],
) {
    // By block; only the first blocks of segments have entries.
    let count = graph.blocks.len();
    let mut entries: Vec<Vec<VariableId>> = vec![Vec::new(); count];
    for segment in segments.iter() {
        entries[segment.block.0].clone_from(&segment.entry);
    }
    let mut exits_of_segment: Vec<Exits> = vec![Vec::new(); count];
    let mut left: Vec<Set<LocalId>> = vec![Set::new(); count];
    // Where the workflow ends, a local in the state is dropped from its encoded form. A local in a slot is not.
    let reads_state = |segment: BlockId| {
        matches!(graph[segment].kind, BlockKind::Resume(_)) && graph[segment].region.is_none()
    };
    for id in graph.block_ids() {
        exits_of_segment[segment_of[id.0].0].extend(&exits[id.0]);
    }
    // A `?` that is evaluated before the state is loaded needs no loaded local.
    for segment in segments
        .iter()
        .filter(|segment| segment.leading_try.as_ref().is_some_and(|asked| asked.is_alone))
    {
        let exits = &mut exits_of_segment[segment.block.0];
        if let Some(asked) = exits.iter().position(Option::is_none) {
            exits.remove(asked);
        }
    }
    for id in graph.block_ids() {
        let segment = segment_of[id.0];
        if reads_state(segment) && exits_of_segment[segment.0].contains(&None) {
            for scope in scopes_left(graph, segment, id) {
                left[segment.0].extend(&graph.scopes[scope.0].locals);
            }
        }
    }
    // The captures that a region receives when it begins are not in the slots of its segments.
    let is_given = |segment: &Segment| matches!(graph[segment.block].kind, BlockKind::Region(_));
    for segment in segments.iter_mut().filter(|segment| !is_given(segment)) {
        let exits = &exits_of_segment[segment.block.0];
        let reads_state = reads_state(segment.block);
        let is_left = |local| left[segment.block.0].contains(&local);
        let is_kept = |id: &VariableId| {
            let local = variables[id.0].place.local;
            !segment.named.contains(&local)
                && !segment.needed.contains(&local)
                && !segment.used_by_regions.contains(&local)
                && !segment.given.contains(&local)
                // At the end of its scope, a local must be loaded to be dropped.
                && exits.iter().all(|exit| match exit {
                    Some(exit) => entries[exit.0].contains(id),
                    None => reads_state && !is_left(local),
                })
        };
        let may_end = reads_state && exits.contains(&None);
        let local_of = |id: &VariableId| variables[id.0].place.local;
        let mut kept: Set<_> = segment.entry.iter().copied().filter(is_kept).collect();
        if may_end {
            // All parts of a local are dropped together, so they are loaded or kept together.
            let loaded = segment.entry.iter().filter(|id| !kept.contains(id)).map(local_of);
            let loaded: Set<_> = loaded.collect();
            kept.retain(|id| !loaded.contains(&local_of(id)));
        }
        let goes_on = exits.iter().flatten().any(|exit| is_entered_within(graph, *exit));
        if goes_on && !is_entered_within(graph, segment.block) {
            kept.iter().for_each(|id| variables[id.0].comes_saved = true);
        }
        segment.kept = kept;
        segment.may_end = may_end;
    }
}

/// The scopes that are open where the segment begins, and that have ended where the block begins or that the block
/// leaves. Their locals are dropped there, and not where the workflow ends.
fn scopes_left(graph: &Graph, segment: BlockId, id: BlockId) -> Vec<ScopeId> {
    let mut path = graph.scopes[graph[id].scope.0].path.clone();
    let open = &graph.scopes[graph[segment].scope.0].path;
    let mut left: Vec<_> = open.iter().copied().filter(|scope| !path.contains(scope)).collect();
    for node in &graph[id].nodes {
        match node {
            Node::Enter(scope) => path.push(*scope),
            Node::Leave => left.extend(path.pop()),
            _ => {}
        }
    }
    left
}

pub(super) fn used_by_regions(
    graph: &Graph,
    captures: &Captures,
    segment: BlockId,
) -> Set<LocalId> {
    match graph[segment].kind {
        BlockKind::Resume(point) => {
            graph.regions_of(point).flat_map(|region| captures.used_outside(region)).collect()
        }
        _ => Set::new(),
    }
}

pub(super) fn moved_into_regions(
    graph: &Graph,
    captures: &Captures,
    segment: BlockId,
    segment_of: &[BlockId],
) -> Set<LocalId> {
    if graph.regions.is_empty() {
        return Set::new();
    }
    let blocks = graph.block_ids().filter(|id| segment_of[id.0] == segment);
    let regions = blocks.flat_map(|id| graph[id].end.regions());
    regions.flat_map(|region| captures.owned(region)).copied().collect()
}
