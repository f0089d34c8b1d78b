//! The layout of a machine: its segments, its states, and where each variable is.

use std::collections::BTreeMap;

use proc_macro2::TokenStream;

use crate::collections::sets::Set;
use crate::flow::move_paths::MovedParts;
use crate::ir::usage::Place;
use crate::ir::{BlockId, LocalId, PointId, RegionId};
use crate::layout::leading_try::LeadingTry;
use crate::layout::segments::{Exits, Link};
use crate::layout::shared_types::SharedType;
use crate::layout::variables::{Variable, VariableId};

/// A part of the step function that runs without interruption and is an arm of its own: the blocks from a resume block,
/// or from a block that several others jump to, up to the next such blocks.
#[derive(Debug)]
pub(crate) struct Segment {
    /// The first block, which identifies it.
    pub(crate) block: BlockId,
    /// The variables that it receives.
    pub(crate) entry: Vec<VariableId>,
    /// The locals that it rematerializes, in order.
    pub(crate) rematerialized: Vec<LocalId>,
    /// The locals that it declares, because it assigns them.
    pub(crate) declared: Vec<LocalId>,
    /// The locals that its code names.
    pub(crate) named: Set<LocalId>,
    /// The locals that its code binds or declares.
    pub(super) bound: Set<LocalId>,
    /// The locals that its code uses, directly or through rematerialized locals.
    pub(crate) needed: Set<LocalId>,
    /// The borrows that are held across its jumps, by the target.
    pub(crate) held: BTreeMap<BlockId, Vec<LocalId>>,
    /// The captures by reference of the regions that it steps.
    pub(crate) used_by_regions: Set<LocalId>,
    /// The locals that move into the regions that it begins.
    pub(super) given: Set<LocalId>,
    /// The variables of `entry` that its code does not touch and that all exits except the end of the workflow need.
    pub(super) kept: Set<VariableId>,
    /// Whether the workflow may end in it, which drops the variables that it keeps.
    pub(crate) may_end: bool,
    /// The `?` that it applies to the outcome of its await first.
    pub(crate) leading_try: Option<LeadingTry>,
    /// The locals that other segments read, and that this one neither reads nor passes on.
    pub(crate) idle: Set<LocalId>,
    /// The locals that it reads or passes on only after a call that may never return.
    pub(crate) hidden: Set<LocalId>,
    /// The projections that it assigns before it reads them, and does not receive.
    pub(crate) unfilled: Vec<VariableId>,
}

impl Segment {
    /// Whether the variable only passes through: it is neither loaded nor saved, but stays in the bytes of the state,
    /// or in its slot.
    pub(crate) fn keeps(&self, id: VariableId) -> bool {
        self.kept.contains(&id)
    }
}

/// A state of the machine.
#[derive(Debug)]
pub(crate) struct State {
    /// The first block of its arm.
    pub(crate) block: BlockId,
    /// `None` for the start, of the function or of a region.
    pub(crate) point: Option<PointId>,
    /// The region that it is a state of.
    pub(crate) region: Option<RegionId>,
    pub(crate) name: String,
    pub(crate) fields: Vec<VariableId>,
    /// The rematerialized borrows of saved locals, and the positions of loops over borrows.
    pub(crate) borrows: Vec<LocalId>,
}

#[derive(Debug)]
pub(crate) struct Layout {
    pub(crate) variables: Vec<Variable>,
    pub(crate) segments: Vec<Segment>,
    /// By block.
    pub(crate) links: Vec<Link>,
    /// By block.
    pub(super) exits: Vec<Exits>,
    /// By block, the segment that it is a part of.
    pub(crate) segment_of: Vec<BlockId>,
    /// The start, then one state per reachable suspension point, in source order; the states of regions follow, region
    /// by region.
    pub(crate) states: Vec<State>,
    /// By block, the number of the arm that begins with it.
    pub(crate) numbers: Vec<usize>,
    /// From state to state, or to the end.
    pub(crate) edges: Set<(usize, Option<usize>)>,
    /// The locals that are read anywhere.
    pub(crate) read: Set<LocalId>,
    /// The locals that are tied to one type in all segments.
    pub(crate) tied: Set<LocalId>,
    /// The locals that are tied wherever they are rematerialized.
    pub(crate) alike: BTreeMap<LocalId, SharedType>,
    /// The places that are changed and whose fields are separate variables, so that they must own the fields.
    pub(crate) in_parts: Set<Place>,
    /// The locals that may be borrows and whose fields are separate variables, with the moved fields as the source
    /// writes them.
    pub(crate) spent_parts: BTreeMap<LocalId, BTreeMap<Place, TokenStream>>,
    /// The locals that are saved in parts.
    pub(crate) saved_in_parts: Set<LocalId>,
    /// The projections that a node of a block moves out of a local that is saved as a whole, so that copies take their
    /// places.
    pub(crate) moved_parts_at: BTreeMap<(BlockId, usize), Vec<Place>>,
    /// The projections that are assigned before they are read.
    pub(crate) moved_parts: MovedParts,
}

impl Layout {
    pub(crate) fn variable(&self, id: VariableId) -> &Variable {
        &self.variables[id.0]
    }

    /// The segment that begins with `block`.
    pub(crate) fn segment(&self, block: BlockId) -> Option<&Segment> {
        self.segments.iter().find(|segment| segment.block == block)
    }

    /// Whether a segment rematerializes the local.
    pub(crate) fn is_rematerialized(&self, local: LocalId) -> bool {
        self.segments.iter().any(|segment| segment.rematerialized.contains(&local))
    }

    /// The projections that one segment moves out and another assigns.
    pub(crate) fn filled_later(&self) -> impl Iterator<Item = VariableId> + '_ {
        let parts: Set<_> = self.segments.iter().flat_map(|segment| &segment.unfilled).collect();
        parts.into_iter().copied()
    }

    /// The states of the function itself, or those of a region.
    pub(crate) fn states_of(&self, owner: Option<RegionId>) -> impl Iterator<Item = &State> {
        self.states.iter().filter(move |state| state.region == owner)
    }

    /// The start state of a region.
    pub(crate) fn start_of(&self, region: RegionId) -> Option<&State> {
        self.states.iter().find(|state| state.region == Some(region) && state.point.is_none())
    }

    /// The state in which `point` is awaited.
    pub(crate) fn state(&self, point: PointId) -> Option<&State> {
        self.states.iter().find(|state| state.point == Some(point))
    }
}
