//! What is changed and is held by its parts.

use std::collections::BTreeSet;

use super::Variable;
use crate::ir::Graph;
use crate::usage::Place;

/// Those of the graph: whatever has parts with variables of their own.
pub(super) fn find(graph: &Graph, variables: &[Variable]) -> BTreeSet<Place> {
    let is_changed =
        |part: &&Place| graph.usages().any(|usage| usage.changes.contains(&part.local));
    let parts = variables.iter().map(|variable| &variable.place);
    let parts = parts.filter(|part| !part.fields.is_empty()).filter(is_changed);
    let around = |part: &Place| {
        let (local, fields) = (part.local, part.fields.clone());
        (0..fields.len()).map(move |count| Place { local, fields: fields[..count].to_vec() })
    };
    parts.flat_map(around).collect()
}
