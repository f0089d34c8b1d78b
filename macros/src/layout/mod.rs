//! The parts of the machine: states with their saved places, and the blocks of its step function.
//!
//! Input: the graph and its liveness. Output: [`Layout`]. A *segment* is a block that is an arm of the step
//! function's `match`: the start, blocks after suspensions, loop heads and exits, and join points. Every other
//! block is printed inside the segment that leads to it, so that its borrows and temporaries work as in the source.
//! Guarantees: see [`validate()`].
//!
//! ```text
//! let mut sum = 0;               start: segment 0, receives nothing
//! for id in ids {                head of the loop: segment 2, receives sum, rest of id
//!     sum += price(id).await;    state `price`: segment 1, saves and loads sum, rest of id
//! }
//! ```

mod assigned_types;
mod held_borrows;
mod leading_try;
mod moved_parts;
mod pass_through;
mod projections;
mod segment_locals;
mod segments;
mod shared_types;
mod states;
mod types;
mod uninitialized;
mod validate;
mod variables;

pub(crate) use self::assigned_types::each_assignment;
pub(crate) use self::held_borrows::borrowed_by;
pub(crate) use self::leading_try::LeadingTry;
pub(crate) use self::moved_parts::{make_mutable, may_move};
pub(crate) use self::segment_locals::is_made_elsewhere;
pub(crate) use self::segments::{Link, is_entered_within};
pub(crate) use self::shared_types::SharedType;
pub(crate) use self::types::{Layout, Segment, State};
pub(crate) use self::validate::validate;
pub(crate) use self::variables::{Variable, VariableId};
use crate::collections::sets::Set;
use crate::flow::liveness::Liveness;
use crate::flow::move_paths;
use crate::ir::usage::Place;
use crate::ir::{BlockId, BlockKind, Graph, LocalId, Node, ScopeId};
use crate::layout::pass_through::{find_idle, keep, moved_into_regions, used_by_regions};
use crate::layout::segment_locals::{Names, names_by_segment, needed};
use crate::layout::segments::{exits, link};
use crate::layout::states::{edges, numbers, states};
use crate::layout::variables::{Variables, sort_as_declared};
use crate::syntax::divergence;

/// Lays the machine out.
pub(crate) fn lay_out(graph: &Graph, liveness: &Liveness) -> Layout {
    let (links, segment_of) = link(graph);
    let exits = exits(graph, &links);
    let mut variables = Variables::of(graph);
    let bound = graph.bound_at_entry();
    let moved_parts = move_paths::analyze(graph, liveness);
    let vacant = uninitialized::analyze(graph);
    let (mut needed, mut held) = needed(graph, liveness, &exits, &segment_of);
    let mut names = names_by_segment(graph, &bound, &segment_of);
    let mut segments = Vec::new();
    for block in graph.block_ids().filter(|block| links[block.0] == Link::Segment) {
        let bound = bound[block.0];
        let places = liveness.entry(graph, block, bound);
        // rustc reports a local that the start reads without having assigned it.
        let is_start = graph[block].kind == BlockKind::Start;
        let is_given = |place: &Place| !is_start && !vacant.at(block, place.local);
        let places = places.into_iter().filter(is_given);
        let (unfilled, places): (Vec<_>, Vec<_>) = places
            .partition(|place| !place.fields.is_empty() && moved_parts.is_vacant(block, place));
        let unfilled: Vec<_> =
            unfilled.into_iter().map(|place| variables.id(graph, place)).collect();
        let places = places.into_iter();
        let mut entry: Vec<_> = places.map(|place| variables.id(graph, place)).collect();
        sort_as_declared(graph, block, &variables.list, &mut entry);
        let Names { named, bound } = std::mem::take(&mut names[block.0]);
        let needed = std::mem::take(&mut needed[block.0]);
        let mut rematerialized: Vec<_> =
            liveness.rematerialized(graph, block).into_iter().collect();
        rematerialized.retain(|local| needed.contains(local));
        // Each after the locals that it takes.
        rematerialized.sort_by_cached_key(|local| graph.sources_of(*local).len());
        let mut declared = &named - &bound;
        let given = entry.iter().chain(&unfilled).map(|id| variables.list[id.0].place.local);
        for known in given.chain(rematerialized.iter().copied()) {
            declared.remove(&known);
        }
        let places = || entry.iter().chain(&unfilled).map(|id| &variables.list[id.0].place);
        if places().any(|place| !place.fields.is_empty()) {
            declared.extend(replaced(graph, &segment_of, block).filter(|local| {
                let mut parts = places().filter(|place| place.local == *local).peekable();
                !bound.contains(local)
                    && parts.peek().is_some()
                    && parts.all(|place| !place.fields.is_empty())
            }));
        }
        // A segment that names a rematerialized local and does not rematerialize it needs no variable.
        declared.retain(|local| !graph.locals[*local].is_rematerialized());
        let region = graph[block].region;
        let captures = liveness.captures();
        if let Some(region) = region {
            declared.retain(|local| !captures.is_used_outside(region, *local));
        }
        for id in &entry {
            let variable = &mut variables.list[id.0];
            variable.is_saved |= matches!(graph[block].kind, BlockKind::Resume(_));
            if is_entered_within(graph, block) {
                variable.passed_in.insert(region);
            }
        }
        segments.push(Segment {
            block,
            entry,
            rematerialized,
            declared: declared.into_iter().collect(),
            named,
            bound,
            needed,
            held: held.remove(&block).unwrap_or_default(),
            used_by_regions: used_by_regions(graph, captures, block),
            given: moved_into_regions(graph, captures, block, &segment_of),
            kept: Set::new(),
            may_end: false,
            leading_try: None,
            idle: Set::new(),
            hidden: Set::new(),
            unfilled,
        });
    }
    vacant.declare(graph, &exits, &segment_of, &mut segments, &variables.list);
    let moved_parts_at = moved_parts::find(
        graph,
        liveness,
        &exits,
        &segment_of,
        &moved_parts,
        &segments,
        &variables.list,
    );
    leading_try::find(graph, &mut segments);
    let read = find_idle(graph, &links, &exits, &segment_of, &mut segments, &variables.list);
    keep(graph, &exits, &segment_of, &mut segments, &mut variables.list);
    let tied = assigned_types::find(graph, &segments, &segment_of).collect();
    let alike = shared_types::find(graph, &segments);
    let states = states(graph, liveness, &segments, &variables.list);
    let numbers = numbers(graph, &segments, &states);
    let edges = edges(graph, &states);
    let in_parts = projections::find(graph, &variables.list);
    let spent_parts = projections::find_moved(graph, &variables.list);
    let saved_in_parts = projections::find_saved(&variables.list);
    Layout {
        variables: variables.list,
        segments,
        links,
        exits,
        segment_of,
        states,
        numbers,
        edges,
        read,
        tied,
        alike,
        in_parts,
        spent_parts,
        saved_in_parts,
        moved_parts_at,
        moved_parts,
    }
}

/// The locals that a segment assigns as a whole, and may have received in parts.
fn replaced<'a>(
    graph: &'a Graph,
    segment_of: &'a [BlockId],
    segment: BlockId,
) -> impl Iterator<Item = LocalId> + 'a {
    let blocks = graph.block_ids().filter(move |id| segment_of[id.0] == segment);
    let nodes = blocks.flat_map(|id| graph[id].nodes.iter().zip(&graph[id].usages));
    // The variables of parts are assigned at the ends of blocks, and before visible jumps.
    let is_seen = |node: &Node| match node {
        Node::Code(stmt) => !divergence::are_hidden(stmt),
        _ => true,
    };
    nodes
        .filter(move |(node, _)| is_seen(node))
        .flat_map(|(_, usage)| usage.reassigned.iter().copied())
}

/// The scopes from the outermost to `scope`.
pub(crate) fn scope_path(graph: &Graph, scope: ScopeId) -> Vec<ScopeId> {
    graph.scopes[scope.0].path.clone()
}
