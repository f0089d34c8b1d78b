//! The locals that a rematerialization takes, computed once for all queries.

use super::{Place, Usage, made_again};
use crate::collections::sets::Set;
use crate::ir::{LocalId, Locals};

/// What rematerializing a local takes. A local that is saved takes itself.
#[derive(Debug)]
pub(crate) struct Made {
    /// The locals, itself among them.
    pub(crate) of: Set<LocalId>,
    /// The places that its rematerialization reads.
    pub(crate) reads: Set<Place>,
}

impl Made {
    /// By local.
    pub(crate) fn all(locals: &Locals) -> Vec<Self> {
        let usages: Vec<_> = locals.ids().map(|local| made_again(locals, local)).collect();
        locals.ids().map(|local| Self::of(&usages, local)).collect()
    }

    fn of(usages: &[Option<Usage>], local: LocalId) -> Self {
        let mut made = Self { of: Set::from([local]), reads: Set::new() };
        let mut todo = vec![local];
        while let Some(local) = todo.pop() {
            let mentions = usages[local.0].iter().flat_map(|usage| &usage.mentions);
            todo.extend(mentions.filter(|local| made.of.insert(**local)));
        }
        todo.push(local);
        while let Some(local) = todo.pop() {
            for place in usages[local.0].iter().flat_map(|usage| &usage.reads) {
                if usages[place.local.0].is_none() {
                    made.reads.insert(place.clone());
                } else if made.reads.insert(Place::whole(place.local)) {
                    todo.push(place.local);
                }
            }
        }
        made
    }
}
