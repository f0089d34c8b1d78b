//! Prints the arm of a segment, from its pattern to its last brace.
//!
//! The printing of its parts is in files named after them: `entry`, `print`, `exit`, `suspend`, `resume`, ….

use proc_macro2::TokenStream;
use quote::TokenStreamExt;

use super::add::add;
use super::arm::Arm;
use super::copies::Copies;
use super::entry::{Entry, start};
use super::idents::names;
use super::scopes::Braces;
use super::split_locals::SplitLocals;
use super::state;
use super::untouched::Untouched;
use crate::ir::{BlockId, BlockKind, ScopeId};
use crate::layout::{VariableId, scope_path};

/// Prints the code of one arm in its order.
pub(super) struct Printer<'a> {
    pub(super) arm: Arm<'a>,
    pub(super) split: SplitLocals<'a>,
    pub(super) untouched: Untouched,
    /// The block of the node that is being printed.
    pub(super) block: BlockId,
    /// The parts that this node moves out and that are copied.
    pub(super) copies: Copies<'a>,
}

impl<'a> Printer<'a> {
    pub(super) fn new(arm: Arm<'a>) -> Self {
        let block = arm.segment.block;
        let copies = Copies::at(arm.machine, block, 0);
        let split = SplitLocals::of(arm);
        Self { arm, split, untouched: Untouched::default(), block, copies }
    }

    /// The arm.
    pub(super) fn arm(mut self, out: &mut TokenStream) {
        let Arm { machine, segment } = self.arm;
        let block = self.arm.block();
        let mut path = scope_path(machine.graph, block.scope);
        if let Some(region) = block.region {
            // The closure of the region is within the scopes around it, and has its own variables for captures.
            let own = machine.graph[region].scope;
            path.retain(|scope| scope_path(machine.graph, *scope).contains(&own));
        }
        let mut entry = Entry::new(self.arm, self.filled(&path));
        let mut braces = Braces::default();
        for (depth, scope) in path.iter().enumerate() {
            braces.open(*scope);
            if depth == 0 {
                braces.add(|inner| self.begin_arm(out, inner));
            }
            let open = if depth == 0 { &*path } else { &[] };
            braces.add(|out| {
                entry.make(out, *scope, open);
                self.rematerialize(out, |local| entry.declares(*scope, open, local));
            });
        }
        self.untouched = entry.untouched;
        if let BlockKind::Resume(point) = block.kind {
            let awaited = self.awaited(point);
            if self.arm.lends_to_regions() {
                braces.push(awaited.step_branches());
                braces.push(self.rematerialize_late());
            }
            braces.add(|out| awaited.bind(out));
        }
        self.chain(segment.block, &mut braces);
        out.append(braces.finish());
    }

    /// The pattern and the arrow; adds to `inner` what runs before there are variables.
    fn begin_arm(&self, out: &mut TokenStream, inner: &mut TokenStream) {
        let machine = self.arm.machine;
        let state = match self.arm.block().kind {
            BlockKind::Start => {
                start(machine, inner);
                machine.layout.states.first()
            }
            BlockKind::Region(region) => machine.layout.start_of(region),
            BlockKind::Resume(point) => {
                self.awaited(point).resume(inner);
                machine.layout.state(point)
            }
            _ => {
                out.append(state::number(machine, self.arm.segment.block));
                None
            }
        };
        state.into_iter().for_each(|state| state::arm(machine, state, out));
        add!(out, =>);
    }

    /// The unfilled parts that the arm fills. It declares no others, whose types rustc could not infer.
    fn filled(&self, open: &[ScopeId]) -> Vec<VariableId> {
        let unfilled = &self.arm.segment.unfilled;
        if unfilled.is_empty() {
            return Vec::new();
        }
        let mut braces = Braces::default();
        open.iter().for_each(|scope| braces.open(*scope));
        Self::new(self.arm).chain(self.arm.segment.block, &mut braces);
        let code = braces.finish().stream();
        let is_filled = |id: &VariableId| {
            let variable = self.arm.machine.layout.variable(*id);
            self.arm.lends_part_to_regions(&variable.place) || names(&code, &variable.ident)
        };
        unfilled.iter().copied().filter(is_filled).collect()
    }
}
