//! Locals whose first value does not tell their type: `None`, `Vec::new()`.

use std::collections::BTreeSet;

use syn::{Expr, Pat, Stmt};

use crate::ir::{Graph, LocalId, Node};

/// Those of the graph.
pub(super) fn find(graph: &Graph) -> BTreeSet<LocalId> {
    let nodes = graph.blocks.iter().flat_map(|block| &block.nodes);
    let untold = nodes.filter_map(|node| {
        let Node::Code(Stmt::Local(local)) = node else { return None };
        let (Pat::Ident(pat), Some(init)) = (&local.pat, &local.init) else { return None };
        if tells(&init.expr) { None } else { graph.locals.find(&pat.ident) }
    });
    untold.collect()
}

/// Whether the value tells more than what it is made with.
fn tells(value: &Expr) -> bool {
    match value {
        Expr::Path(path) => !path.path.is_ident("None"),
        Expr::Call(call) => {
            let is_capacity = matches!(&*call.func, Expr::Path(path)
                if path.path.segments.last().is_some_and(|last| last.ident == "with_capacity"));
            !(call.args.is_empty() || is_capacity)
        }
        Expr::Macro(call) => !call.mac.tokens.is_empty(),
        _ => true,
    }
}
