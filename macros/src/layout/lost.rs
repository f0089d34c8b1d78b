//! Where parts are gone: copies stand in for them, or have done so and have been forgotten on the way.
//!
//! Nothing needs a local any more whose copies are forgotten, so it is not saved. Input: the copies.
//! Output: [`Lost`]. Guarantee: a local of which nothing is lost is whole, unless the code itself has
//! moved a part of it.

use std::collections::BTreeMap;

use super::{Root, StandIns};
use crate::collections::sets::Set;
use crate::flow::move_paths;
use crate::ir::usage::Place;
use crate::ir::{BlockId, Graph, LocalId};

/// Before each node of a block, before its end, and after that.
type AtNodes = Vec<Set<Place>>;

/// The result of the analysis, by block; nothing if nothing is lost anywhere.
#[derive(Debug, Default)]
pub(crate) struct Lost {
    at: Vec<AtNodes>,
}

impl Lost {
    /// Whether a part of a local is gone before a node of a block, or after it.
    pub(crate) fn lacks_part(&self, (block, node): (BlockId, usize), local: LocalId) -> bool {
        let Some(at) = self.at.get(block.0) else { return false };
        at[node..=node + 1].iter().flatten().any(|part| part.local == local)
    }
}

/// Analyzes the graph.
pub(super) fn analyze(graph: &Graph, stand_ins: &StandIns, roots: &[Root]) -> Lost {
    let mut begin: BTreeMap<BlockId, Set<Place>> = BTreeMap::new();
    let mut lost = Lost::default();
    if stand_ins.are_none() {
        return lost;
    }
    let is_root = |block: BlockId| roots.iter().any(|root| root.block == block);
    // Within a root control goes forward only.
    for id in graph.block_ids() {
        let block = &graph[id];
        let mut at = vec![begin.remove(&id).unwrap_or_default()];
        for (node, usage) in block.all_usages().enumerate() {
            let is_back = |part: &Place| {
                usage.assigned.contains(&part.local)
                    || usage.refills.iter().any(|filled| filled.holds(part))
            };
            let jumps = move_paths::targets(graph, usage).into_iter().map(|(_, to)| to);
            let ends = block.end.successors();
            let ends = ends.into_iter().filter(|_| node == block.nodes.len());
            let after: Set<_> = at[node].iter().filter(|part| !is_back(part)).cloned().collect();
            for to in jumps.chain(ends).filter(|to| !is_root(*to)) {
                let there = begin.entry(to).or_default();
                there.extend(stand_ins.turn(graph, (id, node), to).forgotten);
                there.extend(at[node].iter().cloned());
            }
            at.push(after);
        }
        for (at, stands) in at.iter_mut().zip(0..) {
            at.extend(stand_ins.at((id, stands)).iter().cloned());
        }
        lost.at.push(at);
    }
    lost
}
