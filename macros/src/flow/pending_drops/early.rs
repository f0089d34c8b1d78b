//! Values that one of several branches has moved.
//!
//! Where the branches meet only rustc knows, at run time, whether such a value is still there. So a
//! branch that has it hands it on at its own end. Input: what is held where. Guarantee: the code that
//! follows in the root does not name what has been handed on, and leaves its scope only by way of
//! another root or a suspension, so that the value is dropped at the end of its scope.

use std::collections::BTreeMap;

use super::{Entries, jump_target, open_at};
use crate::collections::sets::Set;
use crate::flow::captures::Captures;
use crate::flow::liveness::Liveness;
use crate::ir::usage::Jump;
use crate::ir::{Block, BlockId, Graph, LocalId, Node, ScopeId, Terminator};

/// By block.
#[derive(Debug, Default)]
pub(super) struct Early {
    /// What is handed on at its end.
    at_end: BTreeMap<BlockId, Set<LocalId>>,
    /// What may have been handed on before it.
    before: Vec<Set<LocalId>>,
}

impl Early {
    pub(super) fn find(
        graph: &Graph,
        liveness: &Liveness,
        roots: &Entries,
        root_of: &[BlockId],
        held: &[Vec<Set<LocalId>>],
        held_at: &[Option<Set<LocalId>>],
    ) -> Self {
        let mut early =
            Self { at_end: BTreeMap::new(), before: vec![Set::new(); graph.blocks.len()] };
        for id in graph.block_ids() {
            let block = &graph[id];
            let mut handed = early.before[id.0].clone();
            if let Terminator::Goto(to) = block.end
                && roots.get(to).is_none()
                && let (Some(here), Some(there)) = (held[id.0].last(), &held_at[to.0])
            {
                let is_over = |local: &LocalId| {
                    let mut live = liveness.live_in(to).iter();
                    !live.any(|place| place.local == *local)
                        && is_left_alone(graph, liveness.captures(), roots, root_of, to, *local)
                };
                let lost: Set<_> = here.difference(there).copied().filter(is_over).collect();
                handed.add(&lost);
                if !lost.is_empty() {
                    early.at_end.insert(id, lost);
                }
            }
            for to in block.end.successors() {
                if roots.get(to).is_none() {
                    early.before[to.0].add(&handed);
                }
            }
        }
        early
    }

    pub(super) fn at_end(&self, block: BlockId) -> impl Iterator<Item = LocalId> + '_ {
        self.at_end.get(&block).into_iter().flatten().copied()
    }

    pub(super) fn before(&self, block: BlockId) -> &Set<LocalId> {
        &self.before[block.0]
    }
}

/// Whether nothing from a block on to the end of its root names the local or ends its scope.
fn is_left_alone(
    graph: &Graph,
    captures: &Captures,
    roots: &Entries,
    root_of: &[BlockId],
    from: BlockId,
    local: LocalId,
) -> bool {
    let Some(scope) = graph.scopes.iter().position(|scope| scope.locals.contains(&local)) else {
        return false;
    };
    let mut todo = vec![from];
    while let Some(id) = todo.pop() {
        let block = &graph[id];
        let jumps = block.all_usages().flat_map(|usage| &usage.jumps);
        let jumps: Vec<_> = jumps.map(|jump| (*jump, jump_target(graph, *jump))).collect();
        let returns = matches!(block.end, Terminator::Return(_))
            || jumps.iter().any(|(jump, _)| *jump == Jump::Return);
        if returns
            || block.all_usages().any(|usage| usage.mentions.contains(&local))
            || leaves(graph, block, ScopeId(scope))
        {
            return false;
        }
        for to in jumps.into_iter().filter_map(|(_, to)| to).chain(block.end.successors()) {
            match roots.get(to) {
                Some(_) if open_at(graph, captures, to).contains(&local) => {}
                Some(_) => return false,
                None if root_of[to.0] == root_of[from.0] => todo.push(to),
                None => return false,
            }
        }
    }
    true
}

/// Whether a block ends a scope, or is not in it.
fn leaves(graph: &Graph, block: &Block, scope: ScopeId) -> bool {
    let mut open = Some(block.scope);
    let is_in = |open: Option<ScopeId>| open.is_some_and(|open| graph.is_in_scope(open, scope));
    let mut left = !is_in(open);
    for node in &block.nodes {
        match node {
            Node::Enter(inner) => open = Some(*inner),
            Node::Leave => open = open.and_then(|open| graph.scopes[open.0].parent),
            _ => continue,
        }
        left |= !is_in(open);
    }
    left
}
