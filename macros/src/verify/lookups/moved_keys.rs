//! Keys that are moved while what has been looked up with them is needed. Whether a key is copied instead only
//! rustc knows, so it is asked.

use super::{Lookups, keys};
use crate::ir::usage::{Place, Usage};
use crate::ir::{Field, LocalId, LocalKind};
use crate::layout::VariableId;

/// A key that is moved, unless it is copied.
#[derive(Debug)]
pub(crate) struct MovedKey {
    /// What is looked up with it.
    pub(crate) found: LocalId,
    /// The variable that has the key, or is a part of it.
    pub(crate) key: VariableId,
    /// The fields of the variable that are moved.
    pub(crate) fields: Vec<Field>,
}

/// Finds them.
pub(super) fn find(lookups: &Lookups<'_>) -> Vec<MovedKey> {
    let Lookups { graph, layout, .. } = lookups;
    let mut moved = Vec::new();
    for found in lookups.made_again() {
        let keys = keys(&graph.locals, found);
        let is_key = |place: &Place| keys.iter().any(|key| key.overlaps(place));
        let spends = &graph.touched.spends;
        let spent = spends
            .iter()
            .filter(|spent| is_key(spent))
            .filter(|spent| lookups.is_while_held(found, |usage| may_be_gone(usage, spent)));
        for spent in spent {
            let variables = layout.variables.iter().enumerate().filter(|(_, variable)| {
                variable.is_saved
                    && variable.kind == LocalKind::Value
                    && variable.place.overlaps(spent)
                    && is_key(&variable.place)
            });
            moved.extend(variables.map(|(id, variable)| {
                let fields = spent.fields.iter().skip(variable.place.fields.len());
                MovedKey { found, key: VariableId(id), fields: fields.cloned().collect() }
            }));
        }
    }
    moved
}

/// Whether the code may have used the place up when it is through. Of a part it is not known where it jumps.
fn may_be_gone(usage: &Usage, spent: &Place) -> bool {
    match &spent.fields[..] {
        [] => usage.used_up.contains(&spent.local),
        _ => usage.spends.contains(spent) && usage.jumps.is_empty(),
    }
}
