//! The state of printing one segment. The printing is in files named after the parts: `print`, `entry`, `exit`,
//! `suspend`, ….

use std::cell::{Cell, RefCell};
use std::ops::Range;

use proc_macro2::Ident;

use super::Machine;
use super::segments::parts_in;
use crate::collections::sets::Set;
use crate::ir::usage::Place;
use crate::ir::{BlockId, LocalId};
use crate::layout::Segment;

/// Prints the blocks of one segment.
pub(super) struct Printer<'a> {
    pub(super) machine: &'a Machine<'a>,
    pub(super) segment: &'a Segment,
    /// The parts of locals that are not whole here, each with its variable.
    pub(super) parts: Vec<(Place, Ident)>,
    /// Whether the segment begins with a variable for a local, for each of them.
    pub(super) made: Vec<bool>,
    /// The node that is being printed, by its block and position.
    pub(super) at: Cell<(BlockId, usize)>,
    /// The positions, in the state before, of what is dropped as it is there if the workflow ends here.
    pub(super) untouched: RefCell<Vec<Range<usize>>>,
    /// The locals that have been assigned as a whole since parts of them were variables.
    pub(super) whole: RefCell<Set<LocalId>>,
    /// The parts that have been moved out of them since.
    pub(super) moved: RefCell<Set<Place>>,
}

impl<'a> Printer<'a> {
    pub(super) fn new(machine: &'a Machine<'a>, segment: &'a Segment) -> Self {
        Self {
            machine,
            segment,
            parts: parts_in(machine, segment),
            made: Self::made_in(machine, segment),
            at: Cell::new((segment.block, 0)),
            untouched: RefCell::default(),
            whole: RefCell::default(),
            moved: RefCell::default(),
        }
    }
}
