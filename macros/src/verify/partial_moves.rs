//! Parts that are moved out by the statement that also assigns the local they are a part of.
//!
//! ```text
//! if late { order = reload(); send(order.lines); }
//! order.lines = load().await;
//! ```
//!
//! A copy takes the place of a part that is moved out (see [`crate::flow::move_paths`]), and is made before the statement.
//! Before this one the local may have no value, and only the branch has the value of which the part is moved out.

use crate::collections::sets::Set;
use crate::diagnostics::Diagnostics;
use crate::diagnostics::rules::Rule;
use crate::ir::Graph;
use crate::layout::Layout;

/// Reports each such local once.
pub(crate) fn report(graph: &Graph, layout: &Layout, diagnostics: &Diagnostics) {
    if layout.stand_ins.are_none() {
        return;
    }
    let mut reported = Set::new();
    for id in graph.block_ids() {
        for (node, usage) in graph[id].all_usages().enumerate() {
            let mut taken = layout.stand_ins.taken((id, node));
            let Some(part) = taken.find(|part| usage.replaces.contains(&part.local)) else {
                continue;
            };
            if !reported.insert(part.local) {
                continue;
            }
            let local = &graph.locals[part.local];
            let place =
                part.fields.iter().fold(local.name().to_owned(), |name, field| name + "." + field);
            diagnostics.error(
                local.ident.span(),
                Rule::SAVED_LOCALS,
                format!(
                    "a branch without an `.await` assigns `{}` and moves `{place}` out of it, and the part is assigned \
                     again after an await",
                    local.name()
                ),
                &format!("move a copy: `{place}.clone()`"),
            );
        }
    }
}
