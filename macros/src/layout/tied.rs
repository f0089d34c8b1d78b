//! Locals that get a value in several roots, where nothing else tells rustc that they are of the same type in
//! all of them. If they are not, rustc says so of the value.

use std::collections::BTreeMap;

use syn::visit_mut::{self, VisitMut};
use syn::{Expr, ExprAssign, ExprClosure, Item, Stmt};

use super::Root;
use crate::ir::{BlockId, Graph, LocalId, Locals, Node};
use crate::sets::Set;
use crate::usage::Jump;

/// Those of the graph.
pub(super) fn find<'a>(
    graph: &'a Graph,
    roots: &'a [Root],
    root_of: &[BlockId],
) -> impl Iterator<Item = LocalId> + 'a {
    let assigned = roots.iter().flat_map(|root| &root.declared).copied().filter(|local| {
        let local = &graph.locals[*local];
        local.mutable && !local.is_temporary
    });
    let tied = assigned.chain(given_in_several(graph, root_of));
    tied.filter(|local| graph.locals[*local].ty.is_none())
}

/// Calls `each` with what the statement assigns to locals, where it assigns them as a whole.
pub(crate) fn each_given(
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
                && let Some(local) = path.path.get_ident().and_then(|it| self.locals.find(it))
            {
                (self.each)(local, &mut assign.right);
            }
        }

        fn visit_expr_closure_mut(&mut self, _: &mut ExprClosure) {}

        fn visit_item_mut(&mut self, _: &mut Item) {}
    }
    Given { locals, each }.visit_stmt_mut(stmt);
}

/// Those that are given their value by the branches of an expression, or later than they are declared.
fn given_in_several(graph: &Graph, root_of: &[BlockId]) -> impl Iterator<Item = LocalId> + use<> {
    let mut given: BTreeMap<LocalId, Set<BlockId>> = BTreeMap::new();
    let is_late = |local: &LocalId| {
        let local = &graph.locals[*local];
        !local.mutable || local.is_temporary
    };
    for id in graph.block_ids() {
        let block = &graph[id];
        let nodes = block.nodes.iter().zip(&block.usages);
        let by_nodes = nodes.flat_map(|(node, usage)| match node {
            Node::Define { local, .. } => vec![*local],
            Node::Code(stmt) if usage.replaces.iter().any(is_late) => {
                let mut given = Vec::new();
                each_given(&graph.locals, &mut stmt.clone(), &mut |local, _| given.push(local));
                given
            }
            _ => Vec::new(),
        });
        let jumps = block.all_usages().flat_map(|usage| &usage.jumps);
        let by_jumps = jumps.filter_map(|jump| match jump {
            Jump::Break(target) => graph.targets[target.0].dest,
            Jump::Continue(_) | Jump::Return => None,
        });
        for local in by_nodes.chain(by_jumps).filter(is_late) {
            given.entry(local).or_default().insert(root_of[id.0]);
        }
    }
    given.into_iter().filter(|(_, roots)| roots.len() > 1).map(|(local, _)| local)
}
