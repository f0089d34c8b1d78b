//! What is found out about a function once its graph is known, and is for another go of
//! [`normalize`](crate::normalize).

use syn::Ident;

use crate::ir::Graph;
use crate::liveness::Liveness;
use crate::moved::Moved;
use crate::rests::Rests;
use crate::sets::Set;
use crate::{moved, taken_apart};

/// Nothing, for the first go.
#[derive(Debug, Default)]
pub(crate) struct Again {
    /// The parts of locals that branches take over.
    pub(crate) moved: Vec<Moved>,
    /// The locals that patterns take parts of.
    pub(crate) taken_apart: Set<Ident>,
    /// The locals of which a part is moved out before another value gets the rest.
    pub(crate) rests: Rests,
}

impl Again {
    /// Finds it; `None` if there is nothing that another go would do.
    pub(crate) fn find(graph: &Graph, liveness: &Liveness) -> Option<Self> {
        let moved = moved::find(graph, liveness);
        let taken_apart = taken_apart::find(graph, liveness);
        let rests = Rests::find(graph);
        let is_new = !moved.is_empty() || !taken_apart.is_empty() || !rests.is_empty();
        is_new.then_some(Self { moved, taken_apart, rests })
    }
}
