//! Keys that are moved while the result of their lookup is live. Only rustc knows whether a key is `Copy`, so it
//! decides.

use super::{Lookups, keys};
use crate::ir::usage::{Place, Usage};
use crate::ir::{Field, LocalId, LocalKind};
use crate::layout::VariableId;

/// A key that is moved unless it is `Copy`.
#[derive(Debug)]
pub(crate) struct MovedKey {
    /// The local that is looked up with it.
    pub(crate) found: LocalId,
    /// The variable that holds the key, or is a part of it.
    pub(crate) key: VariableId,
    /// The fields of the variable that are moved.
    pub(crate) fields: Vec<Field>,
}

/// Finds the moved keys.
pub(super) fn find(lookups: &Lookups<'_>) -> Vec<MovedKey> {
    let Lookups { graph, layout, .. } = lookups;
    let mut moved = Vec::new();
    for found in lookups.rematerialized() {
        let keys = keys(&graph.locals, found);
        let is_key = |place: &Place| keys.iter().any(|key| key.overlaps(place));
        let spends = &graph.touched.moved;
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

/// Whether the place may be moved at the end of the code. For a projection, the state at jumps is unknown.
fn may_be_gone(usage: &Usage, spent: &Place) -> bool {
    match &spent.fields[..] {
        [] => usage.moved_at_end.contains(&spent.local),
        _ => usage.moved.contains(spent) && usage.jumps.is_empty(),
    }
}
