//! Changes that the graph requires in a second lowering.

use crate::flow::liveness::Liveness;
use crate::flow::{destructured, partial_moves};
use crate::ir::{Graph, Refinement};

/// Finds it; `None` if another lowering would change nothing.
pub(crate) fn refine(graph: &Graph, liveness: &Liveness) -> Option<Refinement> {
    let destructured = destructured::find(graph, liveness);
    let partially_moved = partial_moves::find(graph);
    let is_new = !destructured.is_empty() || !partially_moved.is_empty();
    is_new.then_some(Refinement { destructured, partially_moved })
}
