//! For each segment, the locals that its code uses and those that it rematerializes.

use syn::Expr;

use super::held_borrows::{Held, borrowed_by, held};
use super::segments::Exits;
use super::types::Segment;
use crate::collections::sets::Set;
use crate::flow::liveness::Liveness;
use crate::ir::usage::{Jump, Usage};
use crate::ir::{BlockId, Graph, LocalId, Node, Terminator};
use crate::syntax::macros;

/// The locals that the code of each segment uses, with those from which they are rematerialized; and the borrows that
/// it holds.
///
/// A statement that only declares a rematerialized local counts as no use of its operands, because code generation
/// omits it where the local is not needed. A statement whose local no segment rematerializes stays, so that rustc
/// checks it.
pub(super) fn needed(
    graph: &Graph,
    liveness: &Liveness,
    exits: &[Exits],
    segment_of: &[BlockId],
) -> (Vec<Set<LocalId>>, Held) {
    let mut needed = vec![Set::new(); graph.blocks.len()];
    let mut makers: Vec<(BlockId, &Usage)> = Vec::new();
    for id in graph.block_ids() {
        let (segment, block) = (segment_of[id.0], &graph[id]);
        let needed = &mut needed[segment.0];
        for (node, usage) in block.nodes.iter().zip(&block.usages) {
            match made_by(graph, node, usage) {
                Some(_) => makers.push((segment, usage)),
                None => needed.add(&usage.mentions),
            }
        }
        needed.add(&block.end_usage.mentions);
    }
    let held = held(graph, liveness, exits, segment_of, &needed);
    for (segment, held) in &held {
        let needed = &mut needed[segment.0];
        for local in held.values().flatten() {
            match graph.locals[*local].loop_borrow {
                Some(_) => needed.add(&borrowed_by(graph, *local)),
                None => _ = needed.insert(*local),
            }
        }
    }
    needed.iter_mut().for_each(|needed| add_sources(graph, needed));
    let is_rematerialized = |local: &LocalId| {
        let mut segments = graph.block_ids().zip(&needed);
        segments.any(|(segment, needed)| {
            needed.contains(local) && liveness.rematerialized(graph, segment).contains(local)
        })
    };
    makers.retain(|(_, usage)| !usage.binds.iter().any(is_rematerialized));
    for (segment, usage) in makers {
        let needed = &mut needed[segment.0];
        needed.add(&usage.mentions);
        add_sources(graph, needed);
    }
    (needed, held)
}

fn add_sources(graph: &Graph, needed: &mut Set<LocalId>) {
    for local in needed.clone() {
        needed.add(graph.sources_of(local));
    }
}

/// The locals that the node declares, if it only initializes rematerialized locals.
fn made_by<'a>(graph: &Graph, node: &Node, usage: &'a Usage) -> Option<&'a [LocalId]> {
    let Node::Code(syn::Stmt::Local(local)) = node else { return None };
    let init = local.init.as_ref();
    let only_makes = init.is_none_or(|init| init.diverge.is_none() && is_unobservable(&init.expr));
    if !only_makes {
        return None;
    }
    let bound = &usage.binds;
    let is_rematerialized = |local: &LocalId| graph.locals[*local].is_rematerialized();
    (!bound.is_empty() && bound.iter().all(is_rematerialized)).then_some(&bound[..])
}

/// Whether the node only initializes locals that other segments rematerialize and this one does not need.
pub(crate) fn is_made_elsewhere(
    graph: &Graph,
    segments: &[Segment],
    segment: &Segment,
    (node, usage): (&Node, &Usage),
) -> bool {
    made_by(graph, node, usage).is_some_and(|locals| {
        locals.iter().all(|local| !segment.needed.contains(local))
            && segments
                .iter()
                .any(|segment| segment.rematerialized.iter().any(|local| locals.contains(local)))
    })
}

/// Whether evaluating the expression is unobservable: it calls nothing and cannot panic.
fn is_unobservable(expr: &Expr) -> bool {
    match expr {
        Expr::Lit(_) | Expr::Path(_) | Expr::Closure(_) => true,
        Expr::Reference(expr) => is_unobservable(&expr.expr),
        Expr::Field(expr) => is_unobservable(&expr.base),
        Expr::Paren(expr) => is_unobservable(&expr.expr),
        Expr::Unary(expr) => is_unobservable(&expr.expr),
        Expr::Array(expr) => expr.elems.iter().all(is_unobservable),
        Expr::Tuple(expr) => expr.elems.iter().all(is_unobservable),
        Expr::Repeat(expr) => is_unobservable(&expr.expr),
        Expr::Macro(call) => macros::is_literal(&call.mac),
        _ => false,
    }
}

/// The locals that the blocks of a segment name, and those that they bind or declare.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    pub(super) named: Set<LocalId>,
    pub(super) bound: Set<LocalId>,
}

/// The [`Names`] of each segment, by its first block. `at_entry` has the locals [bound](Graph::bound_at_entry) at the
/// start of each block.
pub(super) fn names_by_segment(
    graph: &Graph,
    at_entry: &[&[LocalId]],
    segment_of: &[BlockId],
) -> Vec<Names> {
    let mut names = vec![Names::default(); graph.blocks.len()];
    for (id, at_entry) in graph.block_ids().zip(at_entry) {
        let names = &mut names[segment_of[id.0].0];
        if segment_of[id.0] == id {
            names.bound.extend(*at_entry);
        }
        names.add(graph, id);
    }
    names
}

impl Names {
    fn add(&mut self, graph: &Graph, id: BlockId) {
        let block = &graph[id];
        for usage in block.all_usages() {
            self.named.add(&usage.mentions);
            for jump in &usage.jumps {
                if let Jump::Break(target) = jump {
                    self.named.extend(graph.targets[target.0].dest);
                }
            }
        }
        for (node, usage) in block.nodes.iter().zip(&block.usages) {
            self.bound.extend(&usage.binds);
            if let Node::Declare(local) = node {
                self.bound.insert(*local);
            }
        }
        // The result of an await is bound in the next segment.
        if !matches!(block.end, Terminator::Await { .. } | Terminator::Join { .. }) {
            for (_, bound) in graph.edges(id) {
                self.bound.extend(bound);
            }
        }
    }
}
