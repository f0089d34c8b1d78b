//! Locals that patterns destructure and that are used after an await.
//!
//! ```text
//! let Order { lines, .. } = order;
//! let sum = price(&lines).await;
//! let Order { customer, .. } = order;
//! ```
//!
//! A pattern names the whole local although some of its parts have been moved out. [`anf`](crate::anf) rewrites
//! such patterns to name parts, in a second run. Input: the graph and its liveness.

use syn::{Ident, Stmt};

use crate::collections::sets::Set;
use crate::flow::liveness::Liveness;
use crate::ir::usage::{Place, bound_locals};
use crate::ir::{BlockId, BlockKind, Graph, LocalId, Node};
use crate::syntax::patterns::split_type;

/// Finds their names.
pub(crate) fn find(graph: &Graph, liveness: &Liveness) -> Set<Ident> {
    let mut found = Set::new();
    for id in graph.block_ids() {
        for (index, node) in graph[id].nodes.iter().enumerate() {
            let Some(local) = taken_apart(graph, node) else { continue };
            let is_resumed = |to: BlockId| matches!(graph[to].kind, BlockKind::Resume(_));
            if liveness.needed_after(graph, id)[index].contains(&local)
                && liveness.is_needed_until(graph, id, local, is_resumed)
            {
                found.insert(graph.locals[local].ident.clone());
            }
        }
    }
    found
}

/// What the pattern of a `let` takes apart.
fn taken_apart(graph: &Graph, node: &Node) -> Option<LocalId> {
    let Node::Code(Stmt::Local(local)) = node else { return None };
    let init = local.init.as_ref().filter(|init| init.diverge.is_none())?;
    let place = Place::of(&init.expr, &|ident| graph.locals.find(ident))?;
    let binds_parts = !matches!(split_type(&local.pat).0, syn::Pat::Ident(_))
        && !bound_locals(&graph.locals, &local.pat).is_empty();
    (binds_parts && graph.locals[place.local].remade.is_none()).then_some(place.local)
}
