//! Values that no code needs any more and that are not dropped yet.
//!
//! rustc drops a local at the end of its scope. A root whose code ends before that hands such a value
//! on to the next root, unless the machine parks in between. Input: the graph, and what each root is
//! given because its code needs it. Output: [`Carried`]. Guarantees: what is said to be held at a
//! place has been initialized there, has not been moved, and nothing borrows from it; what is carried
//! borrows from no other local. Where that cannot be seen from the source (the last use of the value
//! is a method call, which may take it), the value is not carried.

mod bindings;
mod blocks;
mod calls;
mod early;
mod ends;
mod looks;
mod nodes;
mod owned;
mod values;

use std::cell::LazyCell;

use crate::collections::sets::Set;
use crate::flow::captures::Captures;
use crate::flow::liveness::Liveness;
use crate::flow::pending_drops::early::Early;
use crate::flow::pending_drops::ends::{exhausted, looked_at, taken_at_end, taken_in_chain};
use crate::flow::pending_drops::nodes::{given_by, kept, made, without_looks};
use crate::flow::pending_drops::owned::{borrowing, plain};
use crate::ir::usage::{Jump, Usage};
use crate::ir::{BlockId, BlockKind, Graph, LocalId, Node, Terminator};
use crate::syntax::divergence::always as always_jumps;

/// The result of the analysis.
#[derive(Debug, Default)]
pub(crate) struct Carried {
    /// What is certainly held while each node of a block runs, and, last, at its end.
    held: Vec<Vec<Set<LocalId>>>,
    /// What may come to a root beside what its code needs.
    carried: Vec<Set<LocalId>>,
    /// What is handed on where a block ends, though others follow it in its root.
    early: Early,
    /// Neither handed on nor said to be held: what borrows, and what has no destructor.
    left_out: Set<LocalId>,
}

impl Carried {
    /// What is held while a node of a block runs; its end comes after the last node.
    pub(crate) fn held(&self, block: BlockId, node: usize) -> &Set<LocalId> {
        &self.held[block.0][node]
    }

    /// What is handed on at the end of a block to where its branches meet, because it is not known there
    /// whether it has been moved.
    pub(crate) fn handed_on(&self, block: BlockId) -> impl Iterator<Item = LocalId> + '_ {
        self.early.at_end(block)
    }

    /// Whether a local that a `break` gives its value is to be dropped later.
    pub(crate) fn holds_when_given(&self, local: LocalId) -> bool {
        !self.left_out.contains(&local)
    }

    /// What may come to a root beside what its code needs.
    pub(crate) fn come_to(&self, root: BlockId) -> impl Iterator<Item = LocalId> + '_ {
        self.carried[root.0].iter().copied()
    }
}

/// What the analysis knows of a root.
#[derive(Debug)]
pub(crate) struct Entry {
    /// What its code is given, and of that what is whole.
    pub(crate) locals: Set<LocalId>,
    pub(crate) whole: Set<LocalId>,
    /// What its code names.
    pub(crate) named: Set<LocalId>,
}

/// The entries of the roots, by the block that each begins with.
#[derive(Debug)]
pub(crate) struct Entries(Vec<Option<Entry>>);

impl Entries {
    pub(crate) fn of(graph: &Graph, entries: impl Iterator<Item = (BlockId, Entry)>) -> Self {
        let mut by_block: Vec<_> = graph.blocks.iter().map(|_| None).collect();
        for (root, entry) in entries {
            by_block[root.0] = Some(entry);
        }
        Self(by_block)
    }

    /// The entry of the root that begins with the block, if one does.
    fn get(&self, block: BlockId) -> Option<&Entry> {
        self.0[block.0].as_ref()
    }
}

impl std::ops::Index<BlockId> for Entries {
    type Output = Entry;

    fn index(&self, root: BlockId) -> &Entry {
        self.get(root).expect("every root has an entry")
    }
}

/// Analyzes the graph. `roots` are those that are entered within a step and those that are not;
/// `root_of` is by block. `lacks_part` says whether a part of a local is gone before or after a node of a
/// block.
pub(crate) fn analyze(
    graph: &Graph,
    liveness: &Liveness,
    roots: &Entries,
    root_of: &[BlockId],
    lacks_part: &impl Fn((BlockId, usize), LocalId) -> bool,
) -> Carried {
    let borrowing = borrowing(graph);
    let left_out = &borrowing.locals | &plain(graph);
    // Whether a branch that has been waited for may have given a borrow of the local.
    let is_lent = |resume: BlockId, local: LocalId| {
        let BlockKind::Resume(point) = graph[resume].kind else { return false };
        let mut regions = graph.regions_of(point).filter(|it| borrowing.regions.contains(it));
        regions.any(|region| liveness.captures().is_used_outside(region, local))
    };
    // Whether code may take what is held, if only by a closure that is made again, or may give a local a value.
    // What other code only looks at makes no difference.
    let is_concerned = |held: &Set<LocalId>, usage: &Usage| {
        let may_take = |local: &LocalId| held.contains(local) || graph.made_of(*local).len() > 1;
        usage.mentions.iter().any(may_take) || !usage.assigned.is_disjoint(&usage.replaces)
    };
    let mut held_at: Vec<Option<Set<LocalId>>> = vec![None; graph.blocks.len()];
    let mut carried =
        Carried { carried: vec![Set::new(); graph.blocks.len()], ..Carried::default() };
    let bound = graph.bound_at_entry();
    // Within a root control goes forward only.
    for id in graph.block_ids() {
        if let Some(entry) = roots.get(id) {
            let mut given = entry.whole.clone();
            given.extend(bound[id.0]);
            given.retain(|local| !left_out.contains(local) && !is_lent(id, *local));
            held_at[id.0] = Some(given);
        }
        let mut held = held_at[id.0].clone().unwrap_or_default();
        let block = &graph[id];
        let mut at_nodes = Vec::with_capacity(block.nodes.len() + 1);
        let live = LazyCell::new(|| liveness.after_nodes(graph, id));
        for (index, (node, usage)) in block.nodes.iter().zip(&block.usages).enumerate() {
            let (mut seen, mut still_held) = (Usage::default(), Vec::new());
            if is_concerned(&held, usage) {
                seen = without_looks(&graph.locals, node, usage);
                still_held.extend(kept(node, &seen, &live[index], &graph.touched.fills));
                still_held.retain(|local| held.contains(local));
                held.subtract(&seen.mentions);
                held.subtract(&given_by(&graph.locals, &seen.mentions));
            }
            // Where control does not go on, all counts as assigned.
            let assigned = match node {
                Node::Code(stmt) if always_jumps(stmt) => &usage.replaces,
                _ => &usage.assigned,
            };
            held.subtract(assigned);
            at_nodes.push(held.clone());
            held.extend(still_held);
            held.extend(made(graph, node, usage, &seen).filter(|local| !left_out.contains(local)));
        }
        let before = held.clone();
        if is_concerned(&held, &block.end_usage) {
            let taken = taken_at_end(&graph.locals, block);
            held.subtract(&taken);
            held.subtract(&given_by(&graph.locals, &taken));
        }
        // What regions take over they hand back themselves.
        for region in block.end.regions() {
            held.subtract(liveness.captures().owned(region));
        }
        at_nodes.push(held.clone());
        carried.held.push(at_nodes);
        let used_up = LazyCell::new(|| taken_in_chain(&graph.locals, &block.end));
        for (to, bound) in graph.edges(id) {
            if roots.get(*to).is_some() {
                continue;
            }
            let is_held = |local: &LocalId| !left_out.contains(local) && !used_up.contains(local);
            let mut here = held.clone();
            here.extend(bound.iter().copied().filter(is_held));
            let looked_at = looked_at(&graph.locals, &block.end, *to);
            here.extend(looked_at.filter(|local| before.contains(local)));
            if let Some(items) = exhausted(&graph.locals, &block.end, *to) {
                here.remove(&items);
            }
            held_at[to.0] = Some(match held_at[to.0].take() {
                Some(others) => &others & &here,
                None => here,
            });
        }
    }
    carried.left_out = left_out;
    for (id, nodes) in graph.block_ids().zip(&mut carried.held) {
        for (node, held) in nodes.iter_mut().enumerate() {
            held.retain(|local| !lacks_part((id, node), *local));
        }
    }
    carried.early = Early::find(graph, liveness, roots, root_of, &carried.held, &held_at);
    loop {
        let mut changed = false;
        for id in graph.block_ids() {
            changed |= carried.hand_on(graph, liveness.captures(), roots, id, root_of[id.0]);
            changed |= carried.hand_back(graph, liveness.captures(), roots, id, root_of[id.0]);
        }
        if !changed {
            return carried;
        }
    }
}

impl Carried {
    /// Adds what the block hands on to the roots that it goes to. Whether that is new.
    fn hand_on(
        &mut self,
        graph: &Graph,
        captures: &Captures,
        roots: &Entries,
        id: BlockId,
        root: BlockId,
    ) -> bool {
        let block = &graph[id];
        let mut goes: Vec<(usize, BlockId, Option<LocalId>)> = Vec::new();
        for (node, usage) in block.all_usages().enumerate() {
            for jump in &usage.jumps {
                let to = jump_target(graph, *jump);
                goes.extend(to.map(|to| (node, to, jump_dest(graph, *jump))));
            }
        }
        for to in block.end.successors() {
            goes.push((block.nodes.len(), to, None));
        }
        let mut changed = false;
        for (node, to, given) in goes {
            let Some(entry) = roots.get(to) else { continue };
            // Branches that are regions are begun in the root that waits for them.
            let is_within = match graph[to].kind {
                BlockKind::Start | BlockKind::Region(_) => false,
                BlockKind::Resume(point) => graph.has_regions(point),
                _ => true,
            };
            if !is_within {
                continue;
            }
            let mut all = &self.carried[root.0] - &roots[root].named;
            all.add(&self.held[id.0][node]);
            all.add(self.early.before(id));
            all.extend(given.filter(|local| self.holds_when_given(*local)));
            let carried = &mut self.carried[to.0];
            let count = carried.len();
            carried.extend((&all & &open_at(graph, captures, to)).difference(&entry.locals));
            changed |= carried.len() != count;
        }
        changed
    }

    /// Adds what a region hands back where it ends to what follows the wait for it. Whether that is new.
    fn hand_back(
        &mut self,
        graph: &Graph,
        captures: &Captures,
        roots: &Entries,
        id: BlockId,
        root: BlockId,
    ) -> bool {
        let block = &graph[id];
        let Some(region) = block.region else { return false };
        let wait = BlockKind::Resume(graph[region].point);
        let Some(to) = graph.block_ids().find(|to| graph[*to].kind == wait) else {
            return false;
        };
        let Some(entry) = roots.get(to) else { return false };
        let mut all = &self.carried[root.0] - &roots[root].named;
        for (node, usage) in block.all_usages().enumerate() {
            let is_end = node == block.nodes.len();
            if usage.jumps.contains(&Jump::Return)
                || is_end && matches!(block.end, Terminator::Return(_))
            {
                all.add(&self.held[id.0][node]);
            }
        }
        // What it was not given stands elsewhere.
        let given = &roots[graph[region].entry].whole;
        let open = open_at(graph, captures, to);
        let borrowed = captures.borrowed(graph, region);
        let back = borrowed.filter(|local| {
            all.contains(local)
                && given.contains(local)
                && open.contains(local)
                && !entry.locals.contains(local)
        });
        let carried = &mut self.carried[to.0];
        let count = carried.len();
        carried.extend(back);
        carried.len() != count
    }
}

/// Everything that is in scope where a root begins.
fn open_at(graph: &Graph, captures: &Captures, root: BlockId) -> Set<LocalId> {
    let block = &graph[root];
    let path = &graph.scopes[block.scope.0].path;
    let mut open = Set::new();
    let mut outside = 0;
    if let Some(region) = block.region {
        // What it has taken over is in scope in all of it.
        open.add(captures.owned(region));
        outside = path.iter().position(|scope| *scope == graph[region].scope).unwrap_or(0);
    }
    for scope in &path[outside..] {
        open.extend(&graph.scopes[scope.0].locals);
    }
    open
}

fn jump_target(graph: &Graph, jump: Jump) -> Option<BlockId> {
    match jump {
        Jump::Break(target) => graph.targets[target.0].exit,
        Jump::Continue(target) => graph.targets[target.0].head,
        Jump::Return => None,
    }
}

/// What a jump gives a value.
fn jump_dest(graph: &Graph, jump: Jump) -> Option<LocalId> {
    match jump {
        Jump::Break(target) => graph.targets[target.0].dest,
        Jump::Continue(_) | Jump::Return => None,
    }
}
