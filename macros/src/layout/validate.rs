//! A check of the layout.

use super::{Layout, Link, scope_path};
use crate::ir::{BlockId, Graph};
use crate::usage::Place;

/// Checks what code generation rests on.
///
/// # Errors
/// What does not hold. It is a mistake of the compiler and not of the user.
pub(crate) fn validate(graph: &Graph, layout: &Layout) -> Result<(), String> {
    for root in &layout.roots {
        let open = scope_path(graph, graph[root.block].scope);
        let locals = root
            .entry
            .iter()
            .map(|id| layout.variable(*id).place.local)
            .chain(root.remade.iter().copied())
            .chain(root.declared.iter().copied());
        for local in locals {
            if !open.iter().any(|scope| graph.scopes[scope.0].locals.contains(&local)) {
                return Err(format!(
                    "`{}` is used out of its scope in block {}",
                    graph.locals[local].ident, root.block.0
                ));
            }
        }
        let split = root.entry.iter().map(|id| &layout.variable(*id).place);
        for place in split.filter(|place| !place.fields.is_empty()) {
            if root.entry.iter().any(|id| layout.variable(*id).place == Place::whole(place.local)) {
                return Err(format!(
                    "`{}` is there both as a whole and in parts",
                    graph.locals[place.local].ident
                ));
            }
        }
    }
    for (index, link) in layout.links.iter().enumerate() {
        if *link == Link::Root && layout.root(BlockId(index)).is_none() {
            return Err(format!("block {index} has no arm"));
        }
    }
    Ok(())
}
