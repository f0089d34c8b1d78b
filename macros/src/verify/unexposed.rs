//! Variables with `#[expose]` that no state saves.

use syn::Ident;
use syn::ext::IdentExt;

use crate::diagnostics::Diagnostics;
use crate::frontend::parse::WorkflowFn;
use crate::ir::Graph;
use crate::layout::Layout;

/// Reports exposed variables that no state saves.
pub(crate) fn report(
    function: &WorkflowFn,
    graph: &Graph,
    layout: &Layout,
    diagnostics: &Diagnostics,
) {
    let is_kept = |name: &Ident| {
        let kept = layout.states.iter().flat_map(|state| &state.fields);
        kept.map(|id| &layout.variable(*id).place).any(|place| {
            let local = &graph.locals[place.local];
            local.visibility.exposed && place.fields.is_empty() && name.unraw() == local.name()
        })
    };
    for name in function.exposed.iter().filter(|name| !is_kept(name)) {
        diagnostics.malformed(
            name,
            format!("`{name}` is exposed, but no state saves it"),
            "expose a variable that owns its value and lives across an await of the workflow",
        );
    }
}
