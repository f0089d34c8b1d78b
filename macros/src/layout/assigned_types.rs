//! Locals whose assignments are in several segments, where only their type token makes rustc infer one type for all of
//! them. If the types differ, rustc reports the assigned value.

use std::collections::BTreeMap;

use syn::visit_mut::{self, VisitMut};
use syn::{Expr, ExprAssign, ExprClosure, Item, Stmt};

use super::types::Segment;
use crate::collections::sets::Set;
use crate::ir::usage::Jump;
use crate::ir::{BlockId, Graph, LocalId, Locals, Node};

/// The locals of the graph that need such a token.
pub(super) fn find<'a>(
    graph: &'a Graph,
    segments: &'a [Segment],
    segment_of: &[BlockId],
) -> impl Iterator<Item = LocalId> + 'a {
    let assigned = segments.iter().flat_map(|segment| &segment.declared).copied().filter(|local| {
        let local = &graph.locals[*local];
        local.mutable && !local.is_temporary
    });
    let tied = assigned.chain(assigned_in_several(graph, segment_of));
    tied.filter(|local| graph.locals[*local].ty.is_none())
}

/// Calls `each` with each assignment to a whole local in the statement.
pub(crate) fn each_assignment(
    locals: &Locals,
    stmt: &mut Stmt,
    each: &mut dyn FnMut(LocalId, &mut Expr),
) {
    struct Given<'a> {
        locals: &'a Locals,
        each: &'a mut dyn FnMut(LocalId, &mut Expr),
    }
    impl VisitMut for Given<'_> {
        fn visit_expr_assign_mut(&mut self, assign: &mut ExprAssign) {
            visit_mut::visit_expr_assign_mut(self, assign);
            if let Expr::Path(path) = &*assign.left
                && let Some(local) = self.locals.of_path(&path.path)
            {
                (self.each)(local, &mut assign.right);
            }
        }

        fn visit_expr_closure_mut(&mut self, _: &mut ExprClosure) {}

        fn visit_item_mut(&mut self, _: &mut Item) {}
    }
    Given { locals, each }.visit_stmt_mut(stmt);
}

/// The locals that branches of an expression assign, or that are initialized after their declaration, in more than one
/// segment.
fn assigned_in_several(
    graph: &Graph,
    segment_of: &[BlockId],
) -> impl Iterator<Item = LocalId> + use<> {
    let mut given: BTreeMap<LocalId, Set<BlockId>> = BTreeMap::new();
    let is_late = |local: &LocalId| {
        let local = &graph.locals[*local];
        !local.mutable || local.is_temporary
    };
    for id in graph.block_ids() {
        let block = &graph[id];
        let mut here = Vec::new();
        for (node, usage) in block.nodes.iter().zip(&block.usages) {
            match node {
                Node::Define { local, .. } => here.push(*local),
                Node::Code(stmt) if usage.reassigned.iter().any(is_late) => {
                    each_assignment(&graph.locals, &mut stmt.clone(), &mut |local, _| {
                        here.push(local)
                    });
                }
                _ => {}
            }
        }
        for usage in block.all_usages() {
            for jump in &usage.jumps {
                if let Jump::Break(target) = jump {
                    here.extend(graph.targets[target.0].dest);
                }
            }
        }
        for local in here.into_iter().filter(is_late) {
            given.entry(local).or_default().insert(segment_of[id.0]);
        }
    }
    given.into_iter().filter(|(_, segments)| segments.len() > 1).map(|(local, _)| local)
}
