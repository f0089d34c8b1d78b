//! The states, their names, and the transitions between them.

use super::held_borrows::is_borrow;
use super::segments::is_entered_within;
use super::types::{Segment, State};
use super::variables::Variable;
use crate::collections::sets::Set;
use crate::flow::liveness::Liveness;
use crate::ir::usage::Jump;
use crate::ir::{BlockId, BlockKind, Graph, LocalId, PointId, Terminator};

pub(super) fn states(
    graph: &Graph,
    liveness: &Liveness,
    segments: &[Segment],
    variables: &[Variable],
) -> Vec<State> {
    let mut states = Vec::new();
    for segment in segments {
        let block = &graph[segment.block];
        let (point, name) = match block.kind {
            BlockKind::Start => (None, "start".to_owned()),
            BlockKind::Region(region) => {
                let region = &graph[region];
                (None, format!("{}.{}", graph.points[region.point.0].name, region.index))
            }
            BlockKind::Resume(point) => (Some(point), graph.points[point.0].name.clone()),
            _ => continue,
        };
        let fields = if point.is_some() { segment.entry.clone() } else { Vec::new() };
        let saved = fields.iter().map(|id| variables[id.0].place.local);
        let borrows = if point.is_some() {
            borrows(graph, liveness, segment.block, saved)
        } else {
            Vec::new()
        };
        let (block, region) = (segment.block, block.region);
        states.push(State { block, point, region, name, fields, borrows });
    }
    states.sort_by_key(|state| state.region);
    states
}

/// The borrows that are rematerialized in a block or later, and the saved positions of loops over borrows.
fn borrows(
    graph: &Graph,
    liveness: &Liveness,
    block: BlockId,
    saved: impl Iterator<Item = LocalId>,
) -> Vec<LocalId> {
    let positions = saved.filter(|local| graph.locals[*local].loop_borrow.is_some());
    let rematerialized = liveness.rematerialized(graph, block).into_iter();
    let borrows: Set<_> =
        positions.chain(rematerialized.filter(|id| is_borrow(graph, *id))).collect();
    borrows.into_iter().collect()
}

/// By block, the number of the arm that begins with it. A state has the number of its node in the graph; arms that are
/// entered only within a step have the numbers after those.
pub(super) fn numbers(graph: &Graph, segments: &[Segment], states: &[State]) -> Vec<usize> {
    let inner = segments
        .iter()
        .map(|segment| segment.block)
        .filter(|segment| is_entered_within(graph, *segment));
    let mut numbers = vec![usize::MAX; graph.blocks.len()];
    for (number, block) in states.iter().map(|state| state.block).chain(inner).enumerate() {
        numbers[block.0] = number;
    }
    numbers
}

/// The edges between states. A region is entered from the state that awaits it, and ends there.
pub(super) fn edges(graph: &Graph, states: &[State]) -> Set<(usize, Option<usize>)> {
    let number = |point: PointId| states.iter().position(|state| state.point == Some(point));
    let mut edges = Set::new();
    for (from, state) in states.iter().enumerate() {
        let end = state.region.and_then(|region| number(graph[region].point));
        if state.point.is_none()
            && let Some(outside) = end
        {
            edges.insert((outside, Some(from)));
        }
        let mut seen = vec![false; graph.blocks.len()];
        let mut todo = vec![state.block];
        while let Some(id) = todo.pop() {
            if std::mem::replace(&mut seen[id.0], true) {
                continue;
            }
            let block = &graph[id];
            for usage in block.all_usages() {
                for jump in &usage.jumps {
                    match jump {
                        Jump::Break(target) => todo.extend(graph.targets[target.0].exit),
                        Jump::Continue(target) => todo.extend(graph.targets[target.0].head),
                        Jump::Return => _ = edges.insert((from, end)),
                    }
                }
            }
            match &block.end {
                Terminator::Await { point, .. }
                | Terminator::Select { point, .. }
                | Terminator::Join { point, .. } => {
                    edges.insert((from, number(*point)));
                }
                Terminator::Return(_) => {
                    edges.insert((from, end));
                }
                end => todo.extend(end.successors()),
            }
        }
    }
    edges
}
