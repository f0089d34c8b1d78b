//! One arm of the step function, from its pattern to its last brace.

use proc_macro2::TokenStream;
use quote::TokenStreamExt;

use super::add::add;
use super::braces::Braces;
use super::printer::Printer;
use super::state;
use crate::ir::BlockKind;
use crate::layout::scope_path;

impl Printer<'_> {
    /// The arm.
    pub(super) fn arm(&self, out: &mut TokenStream) {
        let block = &self.machine.graph[self.segment.block];
        let mut path = scope_path(self.machine.graph, block.scope);
        if let Some(region) = block.region {
            // What is outside is outside of its closure, or has become its own.
            let own = self.machine.graph[region].scope;
            path.retain(|scope| scope_path(self.machine.graph, *scope).contains(&own));
        }
        let filled = self.filled(&path);
        let mut braces = Braces::default();
        for (depth, scope) in path.iter().enumerate() {
            braces.open(*scope);
            if depth == 0 {
                braces.add(|inner| self.begin_arm(out, inner));
            }
            braces
                .add(|out| self.enter(out, *scope, if depth == 0 { &path } else { &[] }, &filled));
        }
        if let BlockKind::Resume(point) = block.kind {
            if self.uses_locals() {
                braces.push(self.step_branches(point));
                braces.push(self.make_again_late());
            }
            braces.add(|out| self.bind_awaited(out, point));
        }
        self.chain(self.segment.block, &mut braces);
        out.append(braces.finish());
    }

    /// The pattern and the arrow, and `inner`, what is done before variables are there.
    fn begin_arm(&self, out: &mut TokenStream, inner: &mut TokenStream) {
        let layout = &self.machine.layout;
        let state = match self.machine.graph[self.segment.block].kind {
            BlockKind::Start => {
                self.start(inner);
                layout.states.first()
            }
            BlockKind::Region(region) => layout.start_of(region),
            BlockKind::Resume(point) => {
                self.resume(inner, point);
                layout.state(point)
            }
            _ => {
                out.append(state::number(self.machine, self.segment.block));
                None
            }
        };
        state.into_iter().for_each(|state| state::arm(self.machine, state, out));
        add!(out, =>);
    }
}
