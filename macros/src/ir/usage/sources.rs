//! The operands of rematerializations, computed once per function.

use super::{Place, Usage, usage_of_rematerialization};
use crate::collections::sets::Set;
use crate::ir::ids::LocalId;
use crate::ir::locals::Locals;

/// The operands from which a local is rematerialized. A saved local has itself as the only one.
#[derive(Debug)]
pub(crate) struct Sources {
    /// The locals, including itself.
    pub(crate) locals: Set<LocalId>,
    /// The places that its rematerialization reads.
    pub(crate) reads: Set<Place>,
}

impl Sources {
    /// By local.
    pub(crate) fn all(locals: &Locals) -> Vec<Self> {
        let usages: Vec<_> =
            locals.ids().map(|local| usage_of_rematerialization(locals, local)).collect();
        locals.ids().map(|local| Self::of(&usages, local)).collect()
    }

    fn of(usages: &[Option<Usage>], local: LocalId) -> Self {
        let mut sources = Self { locals: Set::from([local]), reads: Set::new() };
        let mut todo = vec![local];
        while let Some(local) = todo.pop() {
            let mentions = usages[local.0].iter().flat_map(|usage| &usage.mentions);
            todo.extend(mentions.filter(|local| sources.locals.insert(**local)));
        }
        todo.push(local);
        while let Some(local) = todo.pop() {
            for place in usages[local.0].iter().flat_map(|usage| &usage.reads) {
                if usages[place.local.0].is_none() {
                    sources.reads.insert(place.clone());
                } else if sources.reads.insert(Place::whole(place.local)) {
                    todo.push(place.local);
                }
            }
        }
        sources
    }
}
