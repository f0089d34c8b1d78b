//! Successors of blocks.

use syn::Pat;

use crate::ir::usage::bound_locals;
use crate::ir::{Edge, Graph, Terminator};
use crate::syntax::patterns::let_patterns;

/// The successors of each block with the locals bound on the edge, computed once.
pub(super) fn find(graph: &Graph) -> Vec<Vec<Edge>> {
    graph.blocks.iter().map(|block| edges(graph, &block.end)).collect()
}

fn edges(graph: &Graph, end: &Terminator) -> Vec<Edge> {
    let bound = |pat: &Pat| bound_locals(&graph.locals, pat);
    let regions = end.regions().into_iter().map(|region| (graph[region].entry, Vec::new()));
    let mut edges: Vec<_> = regions.collect();
    edges.extend(match end {
        Terminator::If { cond, then, otherwise, .. } => {
            let pats = let_patterns(cond);
            let bound = pats.into_iter().flat_map(bound).collect();
            vec![(*then, bound), (*otherwise, Vec::new())]
        }
        Terminator::Match { arms, .. } | Terminator::Chosen { arms, .. } => {
            arms.iter().map(|(pat, block)| (*block, bound(pat))).collect()
        }
        Terminator::LetElse { local, otherwise, next } => {
            vec![(*otherwise, Vec::new()), (*next, bound(&local.pat))]
        }
        Terminator::Await { pat, resume, .. } | Terminator::Join { pat, resume, .. } => {
            vec![(*resume, bound(pat))]
        }
        end => end.successors().into_iter().map(|block| (block, Vec::new())).collect(),
    });
    edges
}
