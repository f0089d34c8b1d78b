//! Queries about a root: the locals it receives, and the parts of locals that are separate variables.

use proc_macro2::Ident;

use super::Machine;
use crate::ir::usage::Place;
use crate::ir::{BlockKind, PointId};
use crate::layout::Root;

/// The root that follows a suspension, and that waits for its regions.
pub(super) fn root_after<'a>(machine: &Machine<'a>, point: PointId) -> Option<&'a Root> {
    let kind = BlockKind::Resume(point);
    machine.layout.roots.iter().find(|root| machine.graph[root.block].kind == kind)
}

/// The parts of locals that are variables of their own in a root, and in what it is in.
pub(super) fn parts_in(machine: &Machine<'_>, root: &Root) -> Vec<(Place, Ident)> {
    let variables = root.entry.iter().chain(&root.unfilled);
    let variables = variables.map(|id| machine.layout.variable(*id));
    let parts = variables.filter(|variable| !variable.place.fields.is_empty());
    let mut parts: Vec<_> = parts.map(|it| (it.place.clone(), it.ident.clone())).collect();
    let region = machine.graph[root.block].region;
    let outside = region.and_then(|region| root_after(machine, machine.graph[region].point));
    parts.extend(outside.into_iter().flat_map(|root| parts_in(machine, root)));
    parts
}
