//! Which locals the code of a root names, and which of those it makes itself.

use std::collections::BTreeSet;

use crate::ir::{BlockId, Graph, LocalId, Node, Terminator};
use crate::usage::{Jump, Usage, bound_locals};

/// The locals bound where a block begins, by block: parameters, and what an await gives.
pub(super) fn bound_at_entry(graph: &Graph) -> Vec<Vec<LocalId>> {
    let mut bound = vec![Vec::new(); graph.blocks.len()];
    bound[0].clone_from(&graph.params);
    for block in &graph.blocks {
        if let Terminator::Await { pat, resume, .. } | Terminator::Join { pat, resume, .. } =
            &block.end
        {
            bound[resume.0] = bound_locals(&graph.locals, pat);
        }
    }
    bound
}

/// The locals that the code of a root needs, with what those that are made again are made of. A
/// statement that makes one needs nothing by itself.
pub(super) fn needed_in(graph: &Graph, root: BlockId, root_of: &[BlockId]) -> BTreeSet<LocalId> {
    let mut needed = BTreeSet::new();
    for id in graph.block_ids().filter(|id| root_of[id.0] == root) {
        let block = &graph[id];
        for (node, usage) in block.nodes.iter().zip(&block.usages) {
            if !makes_remade(graph, node) {
                needed.extend(&usage.mentions);
            }
        }
        needed.extend(&block.end_usage.mentions);
    }
    let mut todo: Vec<LocalId> = needed.iter().copied().collect();
    while let Some(local) = todo.pop() {
        if let Some(expr) = &graph.locals[local].remade {
            let made_of = Usage::of_expr(&graph.locals, expr).mentions;
            todo.extend(made_of.into_iter().filter(|local| needed.insert(*local)));
        }
    }
    needed
}

fn makes_remade(graph: &Graph, node: &Node) -> bool {
    let Node::Code(syn::Stmt::Local(local)) = node else { return false };
    let bound = bound_locals(&graph.locals, &local.pat);
    bound.iter().any(|local| graph.locals[*local].remade.is_some())
}

/// The locals that the blocks of a root name, and those that they bind or declare.
pub(super) fn names_in(
    graph: &Graph,
    root: BlockId,
    root_of: &[BlockId],
) -> (BTreeSet<LocalId>, BTreeSet<LocalId>) {
    let mut named = BTreeSet::new();
    let mut bound: BTreeSet<LocalId> = bound_at_entry(graph)[root.0].iter().copied().collect();
    for id in graph.block_ids().filter(|id| root_of[id.0] == root) {
        let block = &graph[id];
        for usage in block.usages.iter().chain([&block.end_usage]) {
            named.extend(&usage.mentions);
            for jump in &usage.jumps {
                if let Jump::Break(target) = jump {
                    named.extend(graph.targets[target.0].dest);
                }
            }
        }
        for node in &block.nodes {
            match node {
                Node::Code(syn::Stmt::Local(local)) => {
                    bound.extend(bound_locals(&graph.locals, &local.pat));
                }
                Node::Declare(local) => {
                    bound.insert(*local);
                }
                _ => {}
            }
        }
        match &block.end {
            Terminator::If { cond, .. } => {
                for pat in crate::cfg::let_patterns(cond) {
                    bound.extend(bound_locals(&graph.locals, pat));
                }
            }
            Terminator::Match { arms, .. } | Terminator::Chosen { arms, .. } => {
                for (pat, _) in arms {
                    bound.extend(bound_locals(&graph.locals, pat));
                }
            }
            Terminator::LetElse { local, .. } => {
                bound.extend(bound_locals(&graph.locals, &local.pat));
            }
            _ => {}
        }
    }
    (named, bound)
}
