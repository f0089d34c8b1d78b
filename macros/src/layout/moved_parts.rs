//! Parts that are moved out of a local which is saved as a whole afterwards.
//!
//! ```text
//! let lines = order.lines;
//! order.lines = ship(&lines).await;      // needs the rest of `order` after the await
//! price(&order).await
//! ```
//!
//! The rest cannot be saved by itself, because the macro does not know the other fields of `order`. So a copy takes the
//! place of the part until the part is assigned (see [`crate::flow::move_paths`]). Input: the vacant parts per block,
//! and the locals that segments receive. Output: the nodes before which parts are copied.

use std::collections::BTreeMap;

use syn::visit_mut::{self, VisitMut};
use syn::{Expr, Ident, PatIdent, PatType, Stmt};

use super::segments::Exits;
use super::types::{Layout, Segment};
use super::variables::Variable;
use crate::collections::sets::Set;
use crate::flow::liveness::Liveness;
use crate::flow::move_paths::MovedParts;
use crate::ir::usage::Place;
use crate::ir::{BlockId, Graph, LocalId, Node, Terminator};
use crate::syntax::binding_modes::binds_by_ref;

/// The copied parts, by the node of a block that moves them out. The terminator counts as the node after the last one.
pub(super) fn find(
    graph: &Graph,
    liveness: &Liveness,
    exits: &[Exits],
    segment_of: &[BlockId],
    moved_parts: &MovedParts,
    segments: &[Segment],
    variables: &[Variable],
) -> BTreeMap<(BlockId, usize), Vec<Place>> {
    if moved_parts.are_none() {
        return BTreeMap::new();
    }
    // By segment, the vacant parts of the locals that it receives.
    let vacant = segments.iter().map(|segment| {
        let places = segment.entry.iter().map(|id| &variables[id.0].place);
        let vacant = places.flat_map(|place| {
            let vacant = moved_parts.vacant(segment.block, place.local);
            vacant.filter(move |part| place.holds(part) && *part != place)
        });
        (segment.block, vacant.cloned().collect::<Set<_>>())
    });
    let vacant: BTreeMap<_, _> = vacant.collect();
    if vacant.values().all(Set::is_empty) {
        return BTreeMap::new();
    }
    let mut missed: BTreeMap<BlockId, Set<Place>> = BTreeMap::new();
    for id in graph.block_ids() {
        let missed = missed.entry(segment_of[id.0]).or_default();
        for exit in exits[id.0].iter().flatten() {
            missed.add(&vacant[exit]);
        }
    }
    let captures = liveness.captures();
    let mut found = BTreeMap::new();
    for id in graph.block_ids() {
        let missed = &missed[&segment_of[id.0]];
        let is_outside =
            |local| graph[id].region.is_some_and(|region| captures.is_used_outside(region, local));
        // A local that is not live after the node is not saved.
        for (node, needed) in liveness.needed_after(graph, id).into_iter().enumerate() {
            let is_end = node == graph[id].nodes.len();
            let mut to = graph.edges(id).iter();
            if is_end && !to.any(|(to, _)| may_move(graph, &graph[id].end, *to)) {
                continue;
            }
            let mut moved = moved_parts.moved(graph, liveness, missed, (id, node));
            moved.retain(|part| needed.contains(&part.local) || is_outside(part.local));
            if !moved.is_empty() {
                found.insert((id, node), moved);
            }
        }
    }
    found
}

/// Whether a terminator may move something out of a local on its edge to a block. On a place, a pattern moves the parts
/// that it binds by value.
pub(crate) fn may_move(graph: &Graph, end: &Terminator, to: BlockId) -> bool {
    let (matched, pat) = match end {
        Terminator::Match { scrutinee, arms, .. } => {
            (Some(scrutinee), arms.iter().find(|(_, block)| *block == to).map(|(pat, _)| pat))
        }
        Terminator::If { cond: Expr::Let(cond), then, .. } => {
            (Some(&*cond.expr), (*then == to).then_some(&*cond.pat))
        }
        Terminator::LetElse { local, next, .. } => {
            (local.init.as_ref().map(|init| &*init.expr), (*next == to).then_some(&local.pat))
        }
        _ => (None, None),
    };
    let is_place = |expr| Place::of(expr, &|ident| graph.locals.find(ident)).is_some();
    !matched.is_some_and(is_place) || pat.is_some_and(|pat| !binds_by_ref(pat))
}

/// Declares locals `mut` if copies are assigned to their parts. The source may not assign to them, as in `Order {
/// lines, ..order }`.
pub(crate) fn make_mutable(graph: &mut Graph, params: &mut [PatType], layout: &mut Layout) {
    let parts = layout.moved_parts_at.values().flatten();
    // If the source assigns to a local that is not `mut`, rustc reports it.
    let is_written = |id: LocalId| {
        graph.usages().any(|usage| usage.writes.iter().any(|place| place.local == id))
    };
    let locals: Set<LocalId> = parts.map(|part| part.local).collect();
    let locals = locals.into_iter().filter(|id| !graph.locals[*id].mutable && !is_written(*id));
    let locals: Vec<LocalId> = locals.collect();
    if locals.is_empty() {
        return;
    }
    let idents = locals.iter().map(|id| graph.locals[*id].ident.clone()).collect();
    let mut declare = Declare { idents };
    for variable in &mut layout.variables {
        variable.mutable |= locals.contains(&variable.place.local);
    }
    locals.into_iter().for_each(|id| graph.locals[id].mutable = true);
    params.iter_mut().for_each(|param| declare.visit_pat_type_mut(param));
    for block in &mut graph.blocks {
        for node in &mut block.nodes {
            if let Node::Code(Stmt::Local(local)) = node {
                declare.visit_pat_mut(&mut local.pat);
            }
        }
        match &mut block.end {
            Terminator::If { cond, .. } => declare.visit_expr_mut(cond),
            Terminator::Match { arms, .. } | Terminator::Chosen { arms, .. } => {
                arms.iter_mut().for_each(|(pat, _)| declare.visit_pat_mut(pat));
            }
            Terminator::LetElse { local, .. } => declare.visit_pat_mut(&mut local.pat),
            Terminator::Await { pat, .. } | Terminator::Join { pat, .. } => {
                declare.visit_pat_mut(pat);
            }
            _ => {}
        }
    }
}

struct Declare {
    idents: Set<Ident>,
}

impl VisitMut for Declare {
    fn visit_pat_ident_mut(&mut self, pat: &mut PatIdent) {
        if pat.by_ref.is_none() && self.idents.contains(&pat.ident) {
            pat.mutability = Some(syn::Token![mut](pat.ident.span()));
        }
        visit_mut::visit_pat_ident_mut(self, pat);
    }
}
