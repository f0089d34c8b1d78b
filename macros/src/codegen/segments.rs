//! Queries about a segment: the locals it receives, and the parts of locals that are separate variables.

use proc_macro2::Ident;

use super::Machine;
use crate::ir::usage::Place;
use crate::ir::{BlockKind, PointId};
use crate::layout::Segment;

/// The segment that follows a suspension, and that waits for its regions.
pub(super) fn segment_after<'a>(machine: &Machine<'a>, point: PointId) -> Option<&'a Segment> {
    let kind = BlockKind::Resume(point);
    machine.layout.segments.iter().find(|segment| machine.graph[segment.block].kind == kind)
}

/// The parts of locals that are variables of their own in a segment, and in what it is in.
pub(super) fn parts_in(machine: &Machine<'_>, segment: &Segment) -> Vec<(Place, Ident)> {
    let variables = segment.entry.iter().chain(&segment.unfilled);
    let variables = variables.map(|id| machine.layout.variable(*id));
    let parts = variables.filter(|variable| !variable.place.fields.is_empty());
    let mut parts: Vec<_> = parts.map(|it| (it.place.clone(), it.ident.clone())).collect();
    let region = machine.graph[segment.block].region;
    let outside = region.and_then(|region| segment_after(machine, machine.graph[region].point));
    parts.extend(outside.into_iter().flat_map(|segment| parts_in(machine, segment)));
    parts
}
