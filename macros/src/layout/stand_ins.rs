//! Copies in place of moved parts of locals, so that the rest can be saved. See [`crate::flow::move_paths`].
//!
//! Input: the vacant places per block, and the locals that segments receive. Output: [`StandIns`]. Guarantee: it is
//! known at each block which places hold a copy. If several paths join and one of them has a copy in a place, the
//! others put one there as well, which drops the value early. So a copy is forgotten and not dropped wherever rustc
//! would drop the moved value.

use std::collections::BTreeMap;

use super::links::Exits;
use super::{Segment, Variable};
use crate::collections::sets::Set;
use crate::flow::liveness::Liveness;
use crate::flow::move_paths;
use crate::flow::move_paths::MovedParts;
use crate::ir::usage::Place;
use crate::ir::{BlockId, Graph, Node, Terminator};

/// The result of the analysis.
#[derive(Debug)]
pub(crate) struct StandIns {
    /// Where a block begins.
    begin: Vec<Set<Place>>,
    /// Before each node of a block, before its end, and after that.
    at: Vec<Vec<Set<Place>>>,
    /// The parts that a node, or the end, of a block takes out of locals that are saved as a whole.
    taken: BTreeMap<(BlockId, usize), Vec<Place>>,
}

/// What is done on a way so that what stands in a place is known where it leads.
#[derive(Debug, Default)]
pub(crate) struct Turn {
    /// The parts in whose place a copy is put.
    pub(crate) replaced: Vec<Place>,
    /// The copies that are forgotten.
    pub(crate) forgotten: Vec<Place>,
}

/// What is vacant of what a segment is given.
type Accepted = BTreeMap<BlockId, Set<Place>>;

/// Analyzes the graph.
pub(super) fn analyze(
    graph: &Graph,
    liveness: &Liveness,
    exits: &[Exits],
    segment_of: &[BlockId],
    moved_parts: &MovedParts,
    segments: &[Segment],
    variables: &[Variable],
) -> StandIns {
    let mut stand_ins = StandIns {
        begin: vec![Set::new(); graph.blocks.len()],
        at: graph.blocks.iter().map(|it| vec![Set::new(); it.nodes.len() + 2]).collect(),
        taken: BTreeMap::new(),
    };
    if moved_parts.are_none() {
        return stand_ins;
    }
    let mut accepted = Accepted::new();
    for segment in segments {
        let places = segment.entry.iter().map(|id| &variables[id.0].place);
        let vacant = places.flat_map(|place| {
            let vacant = moved_parts.vacant(segment.block, place.local);
            vacant.filter(move |part| place.holds(part) && *part != place)
        });
        accepted.insert(segment.block, vacant.cloned().collect());
    }
    if accepted.values().all(Set::is_empty) {
        return stand_ins;
    }
    let mut missed: BTreeMap<BlockId, Set<Place>> = BTreeMap::new();
    for id in graph.block_ids() {
        let missed = missed.entry(segment_of[id.0]).or_default();
        for exit in exits[id.0].iter().flatten() {
            missed.add(&accepted[exit]);
        }
    }
    let taken = graph.block_ids().flat_map(|id| {
        let missed = &missed[&segment_of[id.0]];
        let captures = liveness.captures();
        let is_outside = move |local| {
            graph[id].region.is_some_and(|region| captures.is_used_outside(region, local))
        };
        // What nothing needs from there on is not saved.
        liveness.needed_after(graph, id).into_iter().enumerate().map(move |(node, needed)| {
            let mut taken = moved_parts.taken(graph, liveness, missed, (id, node));
            taken.retain(|part| needed.contains(&part.local) || is_outside(part.local));
            let taken = taken.into_iter().collect();
            ((id, node), outermost(taken).into_iter().collect::<Vec<_>>())
        })
    });
    stand_ins.taken = taken.filter(|(_, parts)| !parts.is_empty()).collect();
    let mut changed = true;
    while changed {
        changed = false;
        for id in graph.block_ids() {
            changed |= stand_ins.go_on(graph, liveness, &accepted, id);
        }
    }
    stand_ins
}

impl StandIns {
    /// Whether no copy stands anywhere.
    pub(crate) fn are_none(&self) -> bool {
        self.taken.is_empty()
    }

    /// What stands where a block begins.
    pub(crate) fn begin(&self, block: BlockId) -> &Set<Place> {
        &self.begin[block.0]
    }

    /// What stands before a node of a block; its end comes after the last node.
    pub(crate) fn at(&self, (block, node): (BlockId, usize)) -> &Set<Place> {
        &self.at[block.0][node]
    }

    /// The parts that a node, or the end, of a block takes out of locals that are saved as a whole.
    pub(crate) fn taken(&self, at: (BlockId, usize)) -> impl Iterator<Item = &Place> {
        self.taken.get(&at).into_iter().flatten()
    }

    /// What is to be done on the way from a node, or from the end, of a block to another.
    pub(crate) fn turn(&self, graph: &Graph, (id, node): (BlockId, usize), to: BlockId) -> Turn {
        if self.are_none() {
            return Turn::default();
        }
        let here = self.on_the_way(graph, id, node, to);
        let there = &self.begin[to.0];
        Turn {
            replaced: there.difference(&here).cloned().collect(),
            forgotten: here.difference(there).cloned().collect(),
        }
    }

    /// The parts in whose place a copy is put where control leaves a block.
    pub(super) fn replaced(&self, graph: &Graph, id: BlockId) -> Set<Place> {
        let mut replaced = Set::new();
        if self.are_none() {
            return replaced;
        }
        let block = &graph[id];
        for (node, usage) in block.all_usages().enumerate() {
            for (_, to) in move_paths::targets(graph, usage) {
                replaced.extend(self.turn(graph, (id, node), to).replaced);
            }
        }
        for to in block.end.successors() {
            replaced.extend(self.turn(graph, (id, block.nodes.len()), to).replaced);
        }
        replaced
    }

    /// What stands where control goes from a node, or from the end, of a block to another.
    fn on_the_way(&self, graph: &Graph, id: BlockId, node: usize, to: BlockId) -> Set<Place> {
        let block = &graph[id];
        let Some(usage) = block.all_usages().nth(node) else { return Set::new() };
        let mut jumps =
            move_paths::targets(graph, usage).into_iter().filter(|(_, target)| *target == to);
        let Some((jump, _)) = jumps.next() else { return self.at[id.0][node + 1].clone() };
        let mut here = self.at[id.0][node].clone();
        if let Some(flow) = usage.at_jumps.get(&jump) {
            here.retain(|part| {
                !flow.assigned.contains(&part.local)
                    && !flow.refilled.iter().any(|filled| filled.holds(part))
            });
        }
        here
    }

    /// Goes over a block, and hands on what stands at its end. Whether that is new.
    fn go_on(
        &mut self,
        graph: &Graph,
        liveness: &Liveness,
        accepted: &Accepted,
        id: BlockId,
    ) -> bool {
        let block = &graph[id];
        let mut here = self.begin[id.0].clone();
        let mut at = vec![here.clone()];
        let mut scope = block.scope;
        for (node, usage) in block.all_usages().enumerate() {
            match block.nodes.get(node) {
                Some(Node::Enter(inner)) => scope = *inner,
                Some(Node::Leave) => {
                    here.retain(|part| !graph.scopes[scope.0].locals.contains(&part.local));
                    scope = graph.scopes[scope.0].parent.unwrap_or(scope);
                }
                _ => {}
            }
            here.retain(|part| {
                !usage.assigned.contains(&part.local)
                    && !usage.refills.iter().any(|filled| filled.holds(part))
            });
            here.extend(self.taken((id, node)).cloned());
            here = outermost(here);
            at.push(here.clone());
        }
        let mut changed = self.at[id.0] != at;
        self.at[id.0] = at;
        let jumps = block.all_usages().enumerate().flat_map(|(node, usage)| {
            move_paths::targets(graph, usage).into_iter().map(move |(_, to)| (node, to))
        });
        let ends = graph.edges(id).iter().map(|(to, _)| (block.nodes.len(), *to));
        for (node, to) in jumps.chain(ends).collect::<Vec<_>>() {
            let mut there = self.on_the_way(graph, id, node, to);
            if let Some(accepted) = accepted.get(&to) {
                there.retain(|part| accepted.contains(part));
            } else if matches!(block.end, Terminator::Goto(_)) {
                let live = liveness.live_in(to);
                there.retain(|part| live.iter().any(|place| place.local == part.local));
            }
            there.extend(self.begin[to.0].iter().cloned());
            let there = outermost(there);
            changed |= self.begin[to.0] != there;
            self.begin[to.0] = there;
        }
        changed
    }
}

/// The parts that are in no other of them: the copy of a part has those of its own parts in it.
fn outermost(parts: Set<Place>) -> Set<Place> {
    let is_within = |part: &Place| parts.iter().any(|other| other != part && other.holds(part));
    parts.iter().filter(|part| !is_within(part)).cloned().collect()
}

/// What stays gone until another segment fills it is not forgotten before.
pub(super) fn forget_late(
    graph: &Graph,
    exits: &[Exits],
    segment_of: &[BlockId],
    stand_ins: &StandIns,
    segments: &mut [Segment],
) {
    for segment in segments.iter_mut().filter(|segment| !segment.gone.is_empty()) {
        let blocks = graph.block_ids().filter(|id| segment_of[id.0] == segment.block);
        let exits = blocks.flat_map(|id| &exits[id.0]).flatten();
        let later: Set<&Place> = exits.flat_map(|exit| stand_ins.begin(*exit)).collect();
        segment.gone.retain(|part| !later.contains(&part));
    }
}
