//! Locals that are declared without a value and are uninitialized on every path.
//!
//! Liveness may report such a local as needed: after a call that does not return, or in a workflow that rustc
//! refuses. A segment does not receive it but declares it, so that rustc decides.

use std::collections::{BTreeMap, BTreeSet};

use super::segments::Exits;
use super::types::Segment;
use super::variables::Variable;
use crate::collections::sets::Set;
use crate::flow::move_paths;
use crate::ir::{BlockId, Graph, LocalId, Node};

/// Declarations without a value.
#[derive(Debug)]
pub(super) struct Uninitialized {
    /// The locals that are declared without a value.
    declared: Set<LocalId>,
    /// By block, the declared locals that code before it may have named.
    named_in: Vec<Set<LocalId>>,
}

impl Uninitialized {
    /// Whether the local is uninitialized where the block begins.
    pub(super) fn at(&self, block: BlockId, local: LocalId) -> bool {
        self.declared.contains(&local) && !self.named_in[block.0].contains(&local)
    }
}

/// Analyzes the graph.
pub(super) fn analyze(graph: &Graph) -> Uninitialized {
    let nodes = graph.blocks.iter().flat_map(|block| &block.nodes);
    // The destination of a loop or block is assigned by jumps.
    let is_filled = |local: &LocalId| graph.targets.iter().any(|it| it.dest == Some(*local));
    let declared = nodes.filter_map(|node| match node {
        Node::Declare(local) if !is_filled(local) => Some(*local),
        _ => None,
    });
    let mut vacant = Uninitialized {
        declared: declared.collect(),
        named_in: vec![Set::new(); graph.blocks.len()],
    };
    if vacant.declared.is_empty() {
        return vacant;
    }
    let mut open: BTreeSet<BlockId> = graph.block_ids().collect();
    while let Some(id) = open.pop_first() {
        for (to, named) in vacant.after(graph, id) {
            let known = &mut vacant.named_in[to.0];
            let count = known.len();
            known.extend(named);
            if known.len() != count {
                open.insert(to);
            }
        }
    }
    vacant
}

impl Uninitialized {
    /// The locals named on each edge out of a block.
    fn after(&self, graph: &Graph, id: BlockId) -> Vec<(BlockId, Set<LocalId>)> {
        let block = &graph[id];
        let mut named = self.named_in[id.0].clone();
        let mut out = Vec::new();
        for (index, usage) in block.all_usages().enumerate() {
            named.extend(usage.mentions.intersection(&self.declared));
            out.extend(
                move_paths::targets(graph, usage).into_iter().map(|(_, to)| (to, named.clone())),
            );
            match block.nodes.get(index) {
                Some(Node::Declare(local)) => {
                    named.remove(local);
                }
                Some(Node::Define { local, .. }) => {
                    named.insert(*local);
                }
                _ => {}
            }
        }
        for region in block.end.regions() {
            let within = graph.usages_within(region);
            let within = within.flat_map(|usage| usage.mentions.intersection(&self.declared));
            named.extend(within.copied().collect::<Vec<_>>());
        }
        out.extend(graph.edges(id).iter().map(|(to, _)| (*to, named.clone())));
        out
    }

    /// Lets a segment declare the uninitialized locals that its successors receive and that it does not.
    pub(super) fn declare(
        &self,
        graph: &Graph,
        exits: &[Exits],
        segment_of: &[BlockId],
        segments: &mut [Segment],
        variables: &[Variable],
    ) {
        if self.declared.is_empty() {
            return;
        }
        let given = |segment: &Segment| -> Set<LocalId> {
            let locals = segment.entry.iter().map(|id| variables[id.0].place.local);
            locals.filter(|local| self.declared.contains(local)).collect()
        };
        let given: BTreeMap<BlockId, _> =
            segments.iter().map(|segment| (segment.block, given(segment))).collect();
        for id in graph.block_ids() {
            let segment = segment_of[id.0];
            for to in exits[id.0].iter().flatten() {
                for local in &given[to] - &given[&segment] {
                    let Some(segment) = segments.iter_mut().find(|it| it.block == segment) else {
                        continue;
                    };
                    segment.named.insert(local);
                    let declares = |id: &BlockId| {
                        let nodes = &graph[*id].nodes;
                        nodes.iter().any(|node| matches!(node, Node::Declare(it) if *it == local))
                    };
                    let mut blocks =
                        graph.block_ids().filter(|id| segment_of[id.0] == segment.block);
                    if !blocks.any(|id| declares(&id)) && !segment.declared.contains(&local) {
                        segment.declared.push(local);
                    }
                }
            }
        }
    }
}
