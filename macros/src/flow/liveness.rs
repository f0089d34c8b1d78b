//! Liveness of locals and their projections.
//!
//! Input: the graph. Output: [`Liveness`]: for every block, the places that it or later blocks read before
//! assigning them, and the locals that may be partially moved. Guarantees: a place that is read later is in the set
//! (an over-approximation only for unknown macros); a partially moved local is never in it as a whole. Exposed
//! locals count as read after each suspension. Assumes code that rustc accepts.

use crate::collections::sets::Set;
use crate::flow::captures::Captures;
use crate::flow::{captures, exposed, move_paths};
use crate::ir::usage::{Jump, Place, Usage};
use crate::ir::{BlockId, BlockKind, Graph, LocalId};

/// The result of the analysis, by block.
#[derive(Debug)]
pub(crate) struct Liveness {
    live_in: Vec<Set<Place>>,
    /// As `live_in`, without the projections that are assigned before they are read.
    seen_in: Vec<Set<Place>>,
    moved_in: Vec<Set<LocalId>>,
    captures: Captures,
    /// The exposed locals that the block keeps alive; empty if the workflow has none.
    kept: Vec<Set<Place>>,
}

/// Analyzes the graph.
pub(crate) fn analyze(graph: &Graph) -> Liveness {
    let count = graph.blocks.len();
    let mut liveness = Liveness {
        live_in: vec![Set::new(); count],
        seen_in: vec![Set::new(); count],
        moved_in: vec![Set::new(); count],
        captures: Captures::default(),
        kept: exposed::kept(graph),
    };
    go_back(graph, |block| {
        let live = liveness.before(graph, block);
        let is_new = live != liveness.live_in[block.0];
        liveness.live_in[block.0] = live;
        is_new
    });
    liveness.captures = captures::decide(graph, &liveness.live_in);
    // Without a partial move, every local is saved as a whole.
    if graph.regions.is_empty() && graph.touched.partial_moves.is_empty() {
        return liveness;
    }
    go_back(graph, |block| {
        let seen = liveness.seen_before(graph, block);
        let is_new = seen != liveness.seen_in[block.0];
        liveness.seen_in[block.0] = seen;
        is_new
    });
    loop {
        let mut changed = false;
        for block in graph.block_ids() {
            for (to, moved) in liveness.moved_after(graph, block) {
                let known = &mut liveness.moved_in[to.0];
                let count = known.len();
                known.extend(moved);
                changed |= known.len() != count;
            }
        }
        if !changed {
            break;
        }
    }
    liveness
}

/// Runs `update` on each block, successors first, until nothing changes. `update` returns whether the block's result
/// has changed.
fn go_back(graph: &Graph, mut update: impl FnMut(BlockId) -> bool) {
    let mut from = vec![Vec::new(); graph.blocks.len()];
    for id in graph.block_ids() {
        crate::flow::move_paths::successors(graph, id).for_each(|to| from[to.0].push(id));
    }
    let mut is_due = vec![true; graph.blocks.len()];
    let mut again = true;
    while std::mem::take(&mut again) {
        for id in graph.block_ids().rev() {
            if std::mem::take(&mut is_due[id.0]) && update(id) {
                for from in &from[id.0] {
                    is_due[from.0] = true;
                    again |= *from >= id;
                }
            }
        }
    }
}

impl Liveness {
    /// The places that are live where a block begins.
    pub(crate) fn live_in(&self, block: BlockId) -> &Set<Place> {
        &self.live_in[block.0]
    }

    /// The locals that regions own.
    pub(crate) fn captures(&self) -> &Captures {
        &self.captures
    }

    /// The places that `block` receives: those that are live where it begins, except the locals `bound` there. A local
    /// is received as a whole unless a part of it may have been moved. A block of a region does not receive places
    /// outside the region; the resume block of a point receives the places that its regions borrow.
    pub(crate) fn entry(&self, graph: &Graph, block: BlockId, bound: &[LocalId]) -> Set<Place> {
        let mut live = self.live_in[block.0].clone();
        if !bound.is_empty() {
            live.retain(|place| !bound.contains(&place.local));
        }
        if let BlockKind::Resume(point) = graph[block].kind {
            for region in graph.regions_of(point) {
                let used = self.live_in.get(graph[region].entry.0).into_iter().flatten();
                let used = used.filter(|p| self.captures.is_used_outside(region, p.local));
                live.extend(used.cloned());
            }
        }
        let region = graph[block].region;
        let moved = &self.moved_in[block.0];
        let mut entry = Set::new();
        for place in &live {
            if graph.locals[place.local].is_rematerialized()
                || region.is_some_and(|id| self.captures.is_used_outside(id, place.local))
            {
                continue;
            }
            let whole = Place::whole(place.local);
            if !moved.contains(&place.local) || live.contains(&whole) {
                entry.insert(whole);
            } else if !live.iter().any(|other| is_prefix(other, place)) {
                entry.insert(place.clone());
            }
        }
        entry
    }

    /// The rematerialized locals that are live where `block` begins.
    pub(crate) fn rematerialized(&self, graph: &Graph, block: BlockId) -> Set<LocalId> {
        let mut rematerialized = Set::new();
        for place in &self.live_in[block.0] {
            if graph.locals[place.local].is_rematerialized() {
                rematerialized.insert(place.local);
            }
        }
        rematerialized
    }

    /// Whether a local is live as a whole where `block` begins.
    pub(crate) fn is_live(&self, block: BlockId, local: LocalId) -> bool {
        self.live_in[block.0].contains(&Place::whole(local))
    }

    /// Computes the places that are live before `block`.
    fn before(&self, graph: &Graph, id: BlockId) -> Set<Place> {
        let block = &graph[id];
        let mut live = self.after(graph, id);
        self.apply(graph, &mut live, &block.end_usage);
        for usage in block.usages.iter().rev() {
            self.apply(graph, &mut live, usage);
        }
        if let Some(kept) = self.kept.get(id.0) {
            live.add(kept);
        }
        live
    }

    /// The places that are live after each node of a block.
    pub(crate) fn after_nodes(&self, graph: &Graph, id: BlockId) -> Vec<Set<Place>> {
        let block = &graph[id];
        let mut live = self.after(graph, id);
        self.apply(graph, &mut live, &block.end_usage);
        let mut after = Vec::with_capacity(block.usages.len());
        for usage in block.usages.iter().rev() {
            after.push(live.clone());
            self.apply(graph, &mut live, usage);
        }
        after.reverse();
        after
    }

    /// By node of a block and, last, for its terminator: the locals that are live after it on some path.
    pub(crate) fn needed_after(&self, graph: &Graph, id: BlockId) -> Vec<Set<LocalId>> {
        let block = &graph[id];
        let mut after = self.after_nodes(graph, id);
        after.push(self.after(graph, id));
        for (after, usage) in after.iter_mut().zip(block.all_usages()) {
            let jumps = move_paths::targets(graph, usage).into_iter();
            after.extend(jumps.flat_map(|(_, to)| &self.live_in[to.0]).cloned());
        }
        after.into_iter().map(|live| live.into_iter().map(|place| place.local).collect()).collect()
    }

    /// Whether an edge leads from a block to one for which `is_there` holds, and the local is live on it.
    pub(crate) fn is_needed_until(
        &self,
        graph: &Graph,
        from: BlockId,
        local: LocalId,
        is_there: impl Fn(BlockId) -> bool,
    ) -> bool {
        let (mut seen, mut todo) = (Set::new(), vec![from]);
        while let Some(id) = todo.pop() {
            for to in move_paths::successors(graph, id) {
                let is_needed = self.live_in(to).iter().any(|place| place.local == local);
                if is_needed && is_there(to) {
                    return true;
                }
                if is_needed && seen.insert(to) {
                    todo.push(to);
                }
            }
        }
        false
    }

    /// The places that are live after the terminator of a block is evaluated.
    fn after(&self, graph: &Graph, id: BlockId) -> Set<Place> {
        let mut live = Set::new();
        for (to, bound) in graph.edges(id) {
            let needed = &self.live_in[to.0];
            if bound.is_empty() {
                live.add(needed);
                continue;
            }
            for place in needed {
                if !bound.contains(&place.local) {
                    live.insert(place.clone());
                }
            }
        }
        live
    }

    /// Transfers liveness backward over one node or terminator.
    fn apply(&self, graph: &Graph, live: &mut Set<Place>, usage: &Usage) {
        if !usage.assigned.is_empty() {
            live.retain(|place| !usage.assigned.contains(&place.local));
        }
        // A borrowed local stays live, so that rustc reports an assignment to it.
        let mut borrowed = Set::new();
        for place in &*live {
            borrowed.add(&graph.sources[place.local.0].reads);
        }
        live.add(&borrowed);
        for jump in &usage.jumps {
            let (to, dest) = match jump {
                Jump::Break(target) => {
                    let target = graph.targets[target.0];
                    (target.exit, target.dest)
                }
                Jump::Continue(target) => (graph.targets[target.0].head, None),
                Jump::Return => (None, None),
            };
            if let Some(to) = to {
                let assigned = usage.at_jumps.get(jump).map(|flow| &flow.assigned);
                let is_new = |local: LocalId| {
                    Some(local) == dest || assigned.is_some_and(|them| them.contains(&local))
                };
                let needed = self.live_in[to.0].iter();
                live.extend(needed.filter(|place| !is_new(place.local)).cloned());
            }
        }
        for place in &usage.reads {
            add_read(graph, live, place);
        }
    }

    /// Computes the places that are read, directly or through borrows, after the start of `block`.
    fn seen_before(&self, graph: &Graph, id: BlockId) -> Set<Place> {
        let block = &graph[id];
        let mut seen = self.seen_after(graph, id);
        self.apply_seen(graph, &mut seen, &block.end_usage);
        for usage in block.usages.iter().rev() {
            self.apply_seen(graph, &mut seen, usage);
        }
        seen
    }

    /// The places that are read after the terminator of a block is evaluated.
    fn seen_after(&self, graph: &Graph, id: BlockId) -> Set<Place> {
        let mut seen = Set::new();
        for (to, bound) in graph.edges(id) {
            let needed = self.seen_in[to.0].iter();
            seen.extend(needed.filter(|place| !bound.contains(&place.local)).cloned());
        }
        seen
    }

    /// Transfers the set of read places backward over one node or terminator.
    fn apply_seen(&self, graph: &Graph, seen: &mut Set<Place>, usage: &Usage) {
        seen.retain(|place| {
            !usage.assigned.contains(&place.local)
                && !usage.assigned_parts.iter().any(|part| part.holds(place))
        });
        for (jump, to) in move_paths::targets(graph, usage) {
            let flow = usage.at_jumps.get(&jump).cloned().unwrap_or_default();
            let dest = match jump {
                Jump::Break(target) => graph.targets[target.0].dest,
                Jump::Continue(_) | Jump::Return => None,
            };
            let needed = self.seen_in[to.0].iter().filter(|place| {
                dest != Some(place.local)
                    && !flow.assigned.contains(&place.local)
                    && !flow.assigned_parts.iter().any(|part| part.holds(place))
            });
            seen.extend(needed.cloned());
        }
        seen.extend(crate::flow::move_paths::seen(graph, usage));
    }

    /// The locals that may be partially moved on the edges out of `block`.
    fn moved_after(&self, graph: &Graph, id: BlockId) -> Vec<(BlockId, Set<LocalId>)> {
        let block = &graph[id];
        // By node: a place that is read later has not been moved.
        let mut seen = self.seen_after(graph, id);
        let usages: Vec<&Usage> = block.all_usages().collect();
        let mut seen_after = Vec::with_capacity(usages.len());
        for usage in usages.iter().rev() {
            seen_after.push(seen.clone());
            self.apply_seen(graph, &mut seen, usage);
        }
        seen_after.reverse();
        let mut moved = self.moved_in[id.0].clone();
        let mut out = Vec::new();
        for (usage, seen) in usages.iter().zip(&seen_after) {
            let lost = usage.partial_moves.iter().filter(|place| !seen.contains(place));
            moved.extend(lost.map(|place| place.local));
            for jump in &usage.jumps {
                let to = match jump {
                    Jump::Break(target) => graph.targets[target.0].exit,
                    Jump::Continue(target) => graph.targets[target.0].head,
                    Jump::Return => None,
                };
                out.extend(to.map(|to| (to, moved.clone())));
            }
            moved.retain(|local| !usage.assigned.contains(local));
        }
        // A partial move into a region leaves the local partially moved, outside and inside the region.
        let mut taken = Set::new();
        for region in block.end.regions() {
            let whole = |local: &LocalId| {
                self.live_in[graph[region].entry.0].contains(&Place::whole(*local))
            };
            taken.extend(self.captures.owned(region).iter().filter(|local| !whole(local)));
        }
        for (to, bound) in graph.edges(id) {
            let suspends = matches!(graph[*to].kind, BlockKind::Resume(_));
            let mut moved = &moved | &taken;
            moved.retain(|local| {
                // A local that is saved as a whole is loaded as a whole.
                let is_whole = suspends && self.live_in[to.0].contains(&Place::whole(*local));
                !bound.contains(local) && !is_whole
            });
            out.push((*to, moved));
        }
        out
    }
}

/// Whether `place` is a proper projection of `other`.
fn is_prefix(other: &Place, place: &Place) -> bool {
    other.local == place.local
        && other.fields.len() < place.fields.len()
        && place.fields.starts_with(&other.fields)
}

/// Adds a read. Reading a rematerialized local reads the locals from which it is rematerialized.
fn add_read(graph: &Graph, live: &mut Set<Place>, place: &Place) {
    if !graph.locals[place.local].is_rematerialized() {
        live.insert(place.clone());
    } else {
        live.insert(Place::whole(place.local));
        live.extend(graph.sources[place.local.0].reads.iter().cloned());
    }
}
